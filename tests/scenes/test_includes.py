"""A stranger's description brings in no description from outside of its own folder."""

import pytest

from servogym.scenes.scene import Scene

PART = "<mujoco><worldbody><body name='{}'><geom size='0.1'/></body></worldbody></mujoco>"


@pytest.fixture
def folder(tmp_path):
    """A folder with a part inside, one beside it, and links to what is outside."""
    home = tmp_path / "home"
    (home / "deep").mkdir(parents=True)
    (tmp_path / "out.xml").write_text(PART.format("secret"))
    (home / "in.xml").write_text(PART.format("inside"))
    (home / "deep" / "in.xml").write_text(PART.format("deep"))
    (home / "link.xml").symlink_to(tmp_path / "out.xml")
    (home / "up").symlink_to(tmp_path)
    (home / "deep" / "out.xml").write_text("<mujoco><include file='../../out.xml'/></mujoco>")
    return home


OUTSIDE = [
    "<include file='../out.xml'/>",
    "<include file='..\\out.xml'/>",
    "<include file='{tmp}/out.xml'/>",
    "<include file='link.xml'/>",
    "<include file='up/out.xml'/>",
    "<include file='deep/out.xml'/>",
    "<include file='deep/../../out.xml'/>",
    '<include file="&#46;&#46;/out.xml"/>',
    "<include file = \n '../out.xml'/>",
    # What MuJoCo reads although it is no XML:
    "<!-- a -- b --><include file='../out.xml'/>",
    "<!-- a -- b --><include file='&#46;./out.xml'/>",
    "<include x=\"file='in.xml'\" file='../out.xml'/><!-- -- -->",
    "<asset><model name='m' file='../out.xml'/></asset>",
]


@pytest.mark.parametrize("part", OUTSIDE)
def test_a_way_out_of_the_folder_is_refused(folder, part):
    file = folder / "it.xml"
    file.write_text(f"<mujoco>{part.replace('{tmp}', str(folder.parent))}</mujoco>")
    scene = Scene()
    with pytest.raises(ValueError, match="lies outside of its folder"):
        scene.add("it", file)
    assert scene.paths("body") == ()


def test_a_way_out_that_two_files_take_together_is_refused(folder):
    (folder / "deep" / "a.xml").write_text("<mujoco><include file='b.xml'/></mujoco>")
    (folder / "deep" / "b.xml").write_text("<mujoco><include file='../../out.xml'/></mujoco>")
    (folder / "it.xml").write_text("<mujoco><include file='deep/a.xml'/></mujoco>")
    with pytest.raises(ValueError, match="lies outside of its folder"):
        Scene().add("it", folder / "it.xml")


def test_a_link_that_would_hide_a_way_out_is_refused(folder):
    # To the system `short/../..` is the folder itself; to whoever shortens the text, its parent.
    (folder / "deep" / "deeper").mkdir()
    (folder / "short").symlink_to(folder / "deep" / "deeper")
    (folder / "it.xml").write_text("<mujoco><include file='short/../../out.xml'/></mujoco>")
    with pytest.raises(ValueError, match="lies outside of its folder"):
        Scene().add("it", folder / "it.xml")


@pytest.mark.parametrize("part", OUTSIDE)
def test_so_it_is_from_a_text_whose_folder_is_where_one_works(folder, part, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.raises(ValueError, match=r"the text reads .* outside of its folder"):
        Scene().add("it", f"<mujoco>{part.replace('{tmp}', str(folder.parent))}</mujoco>")


@pytest.mark.parametrize(
    "part, body",
    [
        ("<include file='in.xml'/>", "inside"),
        ("<include file='deep/in.xml'/>", "deep"),
        ("<include file='deep/../in.xml'/>", "inside"),
        ("<!-- <include file='../out.xml'/> --><include file='in.xml'/>", "inside"),
        ("<!-- a -- b --><include file='in.xml'/>", "inside"),
    ],
)
def test_what_lies_in_the_folder_is_read(folder, part, body):
    (folder / "it.xml").write_text(f"<mujoco>{part}</mujoco>")
    scene = Scene()
    scene.add("it", folder / "it.xml")
    assert scene.paths("body") == (f"/world/it/{body}",)


def test_meshes_may_lie_beside_the_folder_as_many_do(folder):
    (folder.parent / "m.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 1 3 4\n"
    )
    (folder / "it.xml").write_text(
        "<mujoco><compiler meshdir='..'/><asset><mesh name='m' file='m.obj'/></asset><worldbody>"
        "<body name='b'><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"
    )
    scene = Scene()
    scene.add("it", folder / "it.xml")
    assert scene.finalize().nmesh == 1


def test_a_plugin_that_is_not_installed_is_not_loaded(folder):
    (folder / "evil.so").write_bytes(b"\x7fELF")
    text = "<mujoco><extension><plugin plugin='{}'/></extension></mujoco>"
    for name in ("evil.so", "./evil", str(folder / "evil.so")):
        (folder / "it.xml").write_text(text.format(name))
        with pytest.raises(ValueError, match="not found"):
            Scene().add("it", folder / "it.xml")


def test_an_external_entity_is_not_resolved(folder):
    (folder / "it.xml").write_text(
        "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:../out.xml'>]><mujoco model='&e;'><worldbody>"
        "<body name='b'><geom name='&e;' size='.1'/></body></worldbody></mujoco>"
    )
    scene = Scene()
    scene.add("it", folder / "it.xml")
    assert scene.paths("geom") == ("/world/it/b/&e;",)
