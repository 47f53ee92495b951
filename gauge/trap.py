"""Names the traps in a reward: what a policy could settle for instead of what is wanted."""

from __future__ import annotations

from servogym.gauge.pay import Aimless, Pay, Stage

MARGIN = 1.3
"""Walking should earn this many times what any way of not walking earns."""
_SAME, _COUNTS = 0.9, 0.05
"""A term is blind to getting anywhere when a step in place earns this share of what a walk does,
and counts when it pays this share of all that a walk is paid."""


def traps(stage: Stage) -> list[str]:
    """Give a sentence for each trap that scripted motions show; none is good news.

    Args:
        stage: What they earn.
    """
    *rivals, walk = stage.asked_to_walk
    found = [_rival(rival, walk, stage.speed) for rival in rivals]
    if walk.total <= 0:
        name, charge = _lowest(walk)
        found.append(
            f"walking costs more than it earns ({walk.total:+.1f}/s), so falling early pays; "
            f"{name} charges it most ({charge:+.2f}/s)"
        )
    rest, *busy = stage.asked_to_stand
    best = max(busy, key=lambda pay: pay.total)
    if best.total >= rest.total:
        name, gain = _largest_gap(best, rest)
        found.append(
            f"asked to stand, '{best.doing}' earns no less than standing ({best.total:.1f}/s "
            f"against {rest.total:.1f}/s), most of it through {name} ({gain:+.2f}/s)"
        )
    return [sentence for sentence in found if sentence]


def idle(aimless: Aimless, stage: Stage) -> list[str]:
    """Give a sentence if actions without an aim earn nearly what an episode of walking earns."""
    walk = stage.asked_to_walk[-1].total * stage.episode_s
    if aimless.episode_return <= 0 or aimless.episode_return * MARGIN <= walk:
        return []
    return [
        f"'{aimless.pay.doing}' earns {aimless.episode_return:.0f} in an episode, a scripted walk "
        f"{walk:.0f}: little is left to be learnt for"
    ]


def blind(stage: Stage) -> list[str]:
    """Name the terms that pay for steps whether or not they lead anywhere."""
    stand, step, walk = stage.asked_to_walk
    earned = sum(value for value in walk.terms.values() if value > 0)
    return [
        name
        for name, value in walk.terms.items()
        if value > _COUNTS * earned
        and step.terms[name] >= _SAME * value
        and stand.terms[name] < _SAME * step.terms[name]
    ]


def _rival(rival: Pay, walk: Pay, speed: float) -> str:
    if rival.total <= 0 or rival.total * MARGIN <= walk.total:
        return ""
    earns = "more than walking earns"
    if rival.total <= walk.total:
        earns = f"{rival.total / walk.total:.0%} of what walking earns"
    most = max(rival.terms, key=lambda name: rival.terms[name])
    sentence = (
        f"'{rival.doing}', asked for {speed:g} m/s, earns {earns} ({rival.total:.1f}/s against "
        f"{walk.total:.1f}/s; {1 / MARGIN:.0%} is the most that is safe): {most} pays it most "
        f"({rival.terms[most]:+.2f}/s)"
    )
    name, loss = _largest_gap(rival, walk)
    if loss > 0:
        sentence += f", and {name} is what walking loses most by ({-loss:+.2f}/s)"
    return sentence


def _largest_gap(one: Pay, other: Pay) -> tuple[str, float]:
    """The term by which one earns most above the other, and by how much."""
    gaps = {name: value - other.terms[name] for name, value in one.terms.items()}
    name = max(gaps, key=lambda name: gaps[name])
    return name, gaps[name]


def _lowest(pay: Pay) -> tuple[str, float]:
    return min(pay.terms.items(), key=lambda item: item[1])
