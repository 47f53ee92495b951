"""The page of a card says what its JSON says, by itself, in a real browser too."""

import re
from functools import partial

import pytest

from servogym.gauge import brief
from servogym.gauge.compare import ASKED
from servogym.gauge.flags import MEANING
from servogym.gauge.score import GoalScore
from servogym.gauge.sheet import draw, words
from servogym.gauge.sheet.page import verdict, write
from tests.gauge.cards import NAMES, card, entry, number, score, summary
from tests.viewer.browser import browser, until


def moved(start="walk", to="other"):
    change = {"before": 0.5, "after": 0.42, "change": -0.08, "interval": [-0.1, -0.06]}
    rows = [{"metric": name, **change, "surely": True} for name in ("quality", "zmp_margin")]
    return {"from": start, "to": to, "most": "zmp_margin", "metrics": rows}


BAR = {
    "criteria": [
        {
            "mark": mark,
            "name": f"falls for {mark}",
            "value": value,
            "interval": [1.0, 3.0],
            "limit": 2.0,
            "at_least": False,
            "strict": False,
            "passed": value < 2,
        }
        for mark, value in (("usable", 1.5), ("walking", 2.5))
    ],
    "marks": {"usable": True, "walking": False},
    "episodes": 7,
    "seconds": 20.0,
}


def test_the_page_needs_nothing_but_itself():
    page = write(card(entry(), entry("other"), moved=[moved()]))
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    for outside in ("http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link"):
        assert outside not in page, outside


def test_the_same_card_gives_the_same_page():
    assert write(card()) == write(card())


def test_names_are_text_and_no_html():
    evil = entry("<img onerror=x>")
    evil["score"]["world"]["collides"] = ["<b>geom</b>"]
    page = write(card(evil))
    assert "<img" not in page and "&lt;img onerror=x&gt;" in page
    assert "<b>geom" not in page and "&lt;b&gt;geom" in page


def test_every_metric_goal_number_and_flag_is_on_the_page():
    found = entry(flags=list(MEANING))
    found["score"]["goals"]["target"]["numbers"] = {
        name: number(mean=1.0) for name in words.NUMBERS
    }
    found["bar"] = BAR
    page = write(card(found))
    for name in NAMES:
        assert words.METRICS[name][0] in page, name
    for title, *_ in words.NUMBERS.values():
        assert title in page
    for sentence in MEANING.values():
        assert sentence in page
    assert "falls for walking" in page and "<b>walking</b>: not reached, 0 of 1" in page
    assert "left_foot_collision; nothing else does" in page
    assert "4.50</td><td>5.50" in page  # deepest foot, deepest of any part [mm]
    assert "python evaluate.py policies/walk.onnx" in page and "ab" * 32 in page


@pytest.mark.parametrize("rules", ["servogym", "robogauge"])
def test_the_page_says_which_rules_it_is_by(rules):
    page = write(card(entry(rules=rules)))
    assert (words.RULES["servogym"] in page, words.RULES["robogauge"] in page) == (
        rules == "servogym",
        rules == "robogauge",
    )


def test_side_by_side_the_metric_that_moved_most_is_said():
    page = write(card(entry(), entry("other"), moved=[moved()]))
    assert "<b>balance</b> moved most: by -0.080 (95 %: -0.100 to -0.060)" in page
    text = brief.write(card(entry(), entry("other"), moved=[moved()]))
    assert "From walk to other, balance moved most: -0.080 (-0.100 to -0.060)." in text


def test_the_verdict_is_of_the_numbers():
    said = verdict(score())
    assert said.startswith("Quality 0.000 of 1; 1 of 8 episodes ended in a fall.")
    assert "between 50 % (sideways -0.3) and 90 % (forward +0.2)" in said
    assert said.endswith("It reaches 75 % of its targets.")


def test_what_could_not_be_measured_is_a_dash_and_never_nan():
    found = entry()
    found["score"]["goals"]["target"]["numbers"]["arrival_time"] = {
        **number("s", None),
        "worst": None,
        "interval": None,
    }
    found["score"]["metrics"]["zmp_margin"] = {**summary(), "mean": None}
    page = write(card(found))
    assert "never" in page and "nan" not in page.lower().replace("finance", "")
    assert "None" not in page


def test_a_policy_that_never_moved_a_bin_has_no_picture_of_it():
    found = entry()
    found["score"]["bins"] = []
    assert "Made against asked" not in write(card(found))


def test_every_name_has_words():
    from servogym.gauge.cell import GOALS
    from servogym.gauge.metrics.rules import RULES
    from servogym.gauge.tally import UNITS

    assert set(words.GOALS) == set(GOALS) and set(words.METRICS) == set(NAMES)
    assert set(words.NUMBERS) == set(UNITS) and set(words.RULES) == set(RULES)
    assert "metrics" in GoalScore.__annotations__ and "task" in ASKED


def test_the_radar_puts_1_on_the_rim_and_0_in_the_middle():
    picture = draw.radar(["a", "b", "c", "d"], [("x", [1.0, 0.0, None, 2.0], "red", False)])
    (shape,) = re.findall(r'points="([^"]+)" fill="red"', picture)
    points = [tuple(map(float, p.split(","))) for p in shape.split()]
    assert points == [(210.0, 45.0), (210.0, 165.0), (210.0, 165.0), (90.0, 165.0)]


def test_the_course_marks_its_worst_moment_and_leaves_gaps():
    picture = draw.course([1.0, 0.5, None, 0.0, 1.0], 3, "red")
    assert picture.count("<polyline") == 2
    x = float(re.search(r'cx="([\d.]+)"', picture)[1])
    assert x == pytest.approx(2 + 146 * 3 / 4, abs=0.1)


@pytest.mark.xdist_group("browser")
def test_a_browser_shows_the_whole_page_and_asks_for_nothing(tmp_path):
    found = entry(flags=["stands_still"])
    found["bar"] = BAR
    place = tmp_path / "card.html"
    place.write_text(write(card(found, entry("other"), moved=[moved()])), "utf-8")
    with browser() as page:
        page.open(place.as_uri())
        text = page.text()
        for said in ("walk · other", "moved most", "It stands still", "Worst moments", "balance"):
            assert said in text, said
        assert page.requests() == []
        for width in (1200, 400):  # a screen, a telephone
            page.driver.set_window_size(width, 800)
            script = f"return window.innerWidth <= {width}"
            until(partial(page.driver.execute_script, script), f"it is {width} wide")
            wide = "return document.documentElement.scrollWidth - window.innerWidth"
            assert page.driver.execute_script(wide) <= 0
        sizes = page.driver.execute_script(
            "return [...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().width)"
        )
        assert len(sizes) == 4 and min(sizes) > 60
        assert page.driver.get_log("browser") == []
