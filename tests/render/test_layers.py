"""What the kustomizations of a build collect, as far as their files tell."""

from __future__ import annotations

from kdiff.model.build import Build
from kdiff.model.target import Target
from kdiff.render.layers import Layers


def layers_of(tree, **overlay):
    return Layers(Build(Target("app", "c", "kustomization", "app", tree), (), overlay=overlay))


def names(layers, path="app/kustomization.yaml"):
    layer = next(each for each in layers.all if each.path == path)
    return sorted(name for obj in layers.collected(layer) for name in obj.names), layers.knows_all(layer)


def test_lists_are_taken_apart_however_deep(make_tree):
    deep = "".join(f"{'  ' * level}- kind: List\n{'  ' * level}  items:\n" for level in range(600))
    deep += "  " * 600 + "- {kind: Pod, metadata: {name: a}}\n"
    tree = make_tree({"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": f"kind: PodList\nitems:\n{deep}"})
    assert names(layers_of(tree)) == (["a"], True)


def test_bases_components_and_generators_are_collected(make_tree):
    tree = make_tree(
        {
            "app/kustomization.yaml": "resources: [../base]\ncomponents: [../part]\nsecretGenerator: [{name: s}]\n",
            "base/kustomization.yaml": "resources: [p.yaml]\n",
            "base/p.yaml": "kind: Pod\nmetadata: {name: p}\n",
            "part/kustomization.yaml": "kind: Component\nresources: [q.yaml]\n",
            "part/q.yaml": "kind: Pod\nmetadata: {name: q}\n",
        }
    )
    layers = layers_of(tree)
    assert names(layers) == (["p", "q", "s"], True)
    assert [each.path for each in layers.includers(layers.all[-1])] == ["app/kustomization.yaml"]


def test_fields_count_in_every_spelling(make_tree):
    tree = make_tree({"app/kustomization.yaml": "re\u017fources: [p.yaml]\n", "app/p.yaml": "kind: Pod\nmetadata: {name: p}\n"})
    assert names(layers_of(tree)) == (["p"], True)


def test_a_circle_ends(make_tree):
    files = {"app/kustomization.yaml": "resources: [../b]\ncomponents: [../c]\n", "b/kustomization.yaml": "resources: [../app]\n"}
    tree = make_tree({**files, "c/kustomization.yaml": "kind: Component\ncomponents: [../c]\n"})
    assert names(layers_of(tree)) == ([], True)


def test_what_files_do_not_show_is_not_known(make_tree):
    for field in ("resources: [https://example.com/a/b]", "generators: [g.yaml]", "helmCharts: [{name: a}]", "resources: [broken.yaml]"):
        tree = make_tree({"app/kustomization.yaml": f"{field}\n", "app/broken.yaml": "a: [", "app/g.yaml": "kind: X\n"}, field[:5])
        assert names(layers_of(tree)) == ([], False)
