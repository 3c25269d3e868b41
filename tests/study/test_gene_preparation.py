"""Gene tables prepared: t-statistics against SciPy, transforms, scales against scikit-learn, and what must not leak."""

from dataclasses import replace

import numpy as np
import pytest
from replication.data.domains.gene_preparation import (
    STANDARDIZATIONS,
    TRANSFORMS,
    choose_genes,
    prepare_genes,
    standardize,
    t_statistics,
    transform_expression,
)
from replication.data.readers.expression_table import ExpressionTable, SplitExpression
from scipy import stats
from sklearn.preprocessing import StandardScaler

SETTINGS = {"n_genes": 10, "pruning": "training", "transform": "none", "standardization": "split"}


def table(values, classes):
    values = np.asarray(values, dtype=float)
    names = np.array([f"gene {k + 1}" for k in range(values.shape[1])])
    return ExpressionTable(values, names, np.asarray(classes))


def noise(seed=0, n_genes=40, missing=0.0):
    """Two tables of noise with classes no, yes; some values are missing."""
    rng = np.random.default_rng(seed)
    parts = []
    for sizes in ([8, 6], [5, 7]):
        values = rng.normal(5, 2, size=(sum(sizes), n_genes)) * rng.uniform(0.1, 9, n_genes)
        values[rng.random(values.shape) < missing] = np.nan
        parts.append(table(values, rng.permutation(np.repeat(["no", "yes"], sizes))))
    return SplitExpression(*parts)


def change_test(split, **changes):
    return SplitExpression(split.training, replace(split.test, **changes))


def other_test_labels(split):
    """Half of the samples of each class get the other one: no relabelling of all of them at once."""
    classes = split.test.classes.copy()
    for name, other in (("no", "yes"), ("yes", "no")):
        classes[np.flatnonzero(split.test.classes == name)[::2]] = other
    return change_test(split, classes=classes)


@pytest.mark.filterwarnings("ignore:After omitting NaNs")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_t_statistics_are_those_of_scipy(seed, missing):
    part = noise(seed, n_genes=200, missing=missing).training
    positive = part.classes == "yes"
    expected = stats.ttest_ind(
        part.values[positive], part.values[~positive], equal_var=False, nan_policy="omit"
    ).statistic  # fmt: skip
    found = t_statistics(part.values, positive)
    np.testing.assert_allclose(found, np.ma.filled(expected, np.nan), rtol=1e-9)
    assert np.isfinite(found).sum() > 190


def test_genes_without_spread_are_infinite_or_unusable():
    nan, positive = np.nan, np.repeat([True, False], [7, 3])
    columns = {
        "higher": [0.1] * 7 + [-0.3] * 3,
        "lower": [1e-8] * 7 + [2e-8] * 3,
        "constant": [0.1] * 10,
        "zero": [0.0] * 10,
        "equal but for rounding": [0.1 + 0.2] * 7 + [0.3] * 3,
        "constant where present": [nan, 4, 4, 4, 4, 4, 4, 4, 4, nan],
        "one value in a class": [1, 2, 3, 4, 5, 6, 7, 8, nan, nan],
        "one value in the other": [nan] * 6 + [7, 8, 9, 10],
        "empty": [nan] * 10,
        "empty in a class": [1, 2, 3, 4, 5, 6, 7, nan, nan, nan],
        "flat in one class": [1.0] * 7 + [2, 3, 4],
    }
    found = dict(zip(columns, t_statistics(np.array(list(columns.values())).T, positive), strict=True))
    assert found.pop("higher") == np.inf
    assert found.pop("lower") == -np.inf
    assert found.pop("flat in one class") == pytest.approx(-2 / np.sqrt(1 / 3))
    assert np.isnan(list(found.values())).all(), found


def test_many_equal_values_are_unusable_and_genes_far_from_zero_keep_their_t():
    rng = np.random.default_rng(0)
    positive = rng.permutation(np.repeat([True, False], [70_001, 29_999]))
    values = np.column_stack([np.full(len(positive), 0.1), positive * 0.1, positive * -0.1])
    np.testing.assert_array_equal(t_statistics(values, positive), [np.nan, np.inf, -np.inf])
    values = rng.normal(size=(100, 3)) + positive[:100, None]
    values[rng.random(values.shape) < 0.1] = np.nan
    for offset in (1e8, -1e11, 1e12, 1e14):
        expected = t_statistics(values + offset - offset, positive[:100])
        np.testing.assert_allclose(t_statistics(values + offset, positive[:100]), expected, rtol=1e-12)
    for unit in (1e-170, 1e160):
        expected = t_statistics(values, positive[:100])
        np.testing.assert_allclose(t_statistics(values * unit, positive[:100]), expected, rtol=1e-9)


def test_equal_genes_come_in_the_order_of_the_table_infinite_ones_first_unusable_ones_never():
    positive = np.repeat([False, True], 4)
    weak, strong = np.array([1.0, 2, 3, 4, 2, 3, 4, 5]), np.array([1.0, 2, 3, 4, 11, 12, 13, 14])
    perfect, flat = positive * 1.0, np.full(8, 7.0)
    values = np.array([weak, flat, strong, -weak, perfect, -strong, 3 - 2 * perfect, 2 * weak]).T
    assert choose_genes(values, positive, 7).tolist() == [4, 6, 2, 5, 0, 3, 7]
    assert choose_genes(values, positive, 3).tolist() == [4, 6, 2]


def test_too_few_usable_genes_are_refused():
    values = noise().training.values[:, :5].copy()
    positive = noise().training.classes == "yes"
    values[:, 1] = 3.0
    values[np.flatnonzero(positive)[1:], 2] = np.nan
    assert sorted(choose_genes(values, positive, 3)) == [0, 3, 4]
    with pytest.raises(ValueError, match=r"at least 4 usable genes .* found 3 of 5; lower n_genes.*Not usable: 1 \("):
        choose_genes(values, positive, 4)


def test_logarithm_by_hand():
    values = np.array([[-2.0, 0.0, 1.0, 2.0, 8.0], [10.0, np.nan, 20.0, 30.0, np.nan]])
    # log(a + sqrt(a^2 + 1)); the medians of the absolute values are 2 and 20.
    log = [np.log(a + np.sqrt(a * a + 1)) for a in (-1, 0, 0.5, 1, 4, 0.5, 1, 1.5)]
    expected = [[*log[:5]], [log[5], np.nan, log[6], log[7], np.nan]]
    np.testing.assert_allclose(transform_expression(values, "log"), expected, atol=1e-12)


def test_logarithm_is_odd_and_needs_no_unit():
    values = noise(3, missing=0.1).training.values - 10
    found = transform_expression(values, "log")
    factors = np.geomspace(1e-3, 1e3, len(values))[:, None]
    np.testing.assert_allclose(transform_expression(values * factors, "log"), found, rtol=1e-12)
    np.testing.assert_array_equal(transform_expression(-values, "log"), -found)
    # For large values a logarithm: a factor becomes a difference.
    row = np.array([[1.0, 1.0, 1.0, 1e6, 1e7]])
    assert np.diff(transform_expression(row, "log")[0])[-1] == pytest.approx(np.log(10), rel=1e-9)


def test_counts_that_are_mostly_0_have_the_scale_of_those_that_are_not():
    counts = np.array([[0.0, 0, 0, 2, 4, 0], [0, 0, 2, 4, np.nan, -3]])
    expected = np.arcsinh(counts / [[3.0], [2.0]])
    np.testing.assert_array_equal(transform_expression(counts, "log"), expected)


def test_sample_without_scale_is_named():
    with pytest.raises(
        ValueError, match=r"Sample 2 of the table has no scale for a logarithm: .* found 0 alone; remove"
    ):
        transform_expression(np.array([[1.0, 2, 3], [0, 0, 0]]), "log")
    with pytest.raises(ValueError, match=r"Sample 1 of the test split has no scale .* found none"):
        transform_expression(np.full((1, 3), np.nan), "log", of="the test split")


def test_ranks_become_normal_scores():
    quarter = stats.norm.ppf(0.75)
    values = np.array([[30.0, -5.0, 7.0, np.nan], [1.0, 1.0, 9.0, np.nan]])
    found = transform_expression(values, "rank")
    np.testing.assert_allclose(found[0], [quarter, -quarter, 0, np.nan], atol=1e-12)
    # Equal values share the mean of their ranks.
    np.testing.assert_allclose(found[1], [stats.norm.ppf(1.5 / 4)] * 2 + [quarter, np.nan], atol=1e-12)


@pytest.mark.parametrize("mapping", [np.exp, np.cbrt, lambda x: 1e6 * x + 3, lambda x: x**3])
def test_ranks_do_not_feel_a_rising_map_of_a_sample(mapping):
    values = noise(4, missing=0.1).training.values
    mapped = values.copy()
    mapped[::2] = mapping(mapped[::2])
    expected = transform_expression(values, "rank")
    np.testing.assert_array_equal(transform_expression(mapped, "rank"), expected)
    np.testing.assert_allclose(transform_expression(-mapped, "rank"), -expected, atol=1e-12)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_each_sample_is_transformed_by_itself_and_what_is_missing_stays_so(transform):
    values = noise(5, missing=0.2).training.values
    found = transform_expression(values, transform)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    alone = np.concatenate([transform_expression(row[None], transform) for row in values])
    np.testing.assert_array_equal(found, alone)
    assert (transform != "none") ^ np.array_equal(found, values, equal_nan=True)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("by", STANDARDIZATIONS)
def test_scales_are_those_of_scikit_learn_and_missing_values_take_the_mean(by, missing):
    split = noise(6, missing=missing)
    training, test = split.training.values, split.test.values
    (found_training, found_test), flat = standardize(training, test, by)
    scalers = {"split": (training, test), "training": (training, training)}
    if by == "none":
        expected = [np.where(np.isnan(part), np.nanmean(part, axis=0), part) for part in (training, test)]
    else:
        # scikit-learn leaves what is missing out of its means, and missing; the mean of a gene is 0 afterwards.
        expected = [
            np.nan_to_num(StandardScaler().fit(reference).transform(part))
            for reference, part in zip(scalers[by], (training, test), strict=True)
        ]
    np.testing.assert_allclose(found_training, expected[0], atol=1e-12)
    np.testing.assert_allclose(found_test, expected[1], atol=1e-12)
    assert flat == 0


def test_gene_that_only_rounding_makes_vary_is_constant_in_the_test_split():
    training = np.array([[1.0, 5], [3, 6], [2, np.nan]])
    test = np.array([[0.1, 4], [0.1, 8], [0.1, 4]])
    (_, split), flat = standardize(training, test, "split")
    assert flat == 1
    np.testing.assert_allclose(split[:, 0], 0, atol=1e-15)


@pytest.mark.parametrize("constant", [6.0, np.nan])
def test_gene_that_the_training_split_cannot_scale_is_0_in_the_test_split(constant):
    split = noise(13)
    training, test = split.training.values.copy(), split.test.values.copy()
    training[:, 4], test[:, 4] = constant, 100 * test[:, 4] + 5000 * (split.test.classes == "yes")
    split = SplitExpression(replace(split.training, values=training), replace(split.test, values=test))
    found = prepare_genes(split, **SETTINGS | {"pruning": "whole", "standardization": "training"})
    scaled = {part: getattr(found, part)[:, found.genes == "gene 5"] for part in ("training", "test")}
    assert scaled["test"].shape == (12, 1)
    assert not scaled["training"].any()
    assert not scaled["test"].any()
    assert found.notes[-1] == "1 chosen genes are constant in the samples that scale the test split; they are 0 there"


@pytest.mark.parametrize("by", STANDARDIZATIONS)
def test_gene_without_a_value_in_one_split_says_nothing(by):
    training = np.array([[7.0, 5], [9, 6], [8, 10]])
    test = np.array([[np.nan, 4], [np.nan, 8]])
    for first, second in ((training, test), (test, training)):
        tables, _ = standardize(first, second, by)
        empty = tables[0 if first is test else 1][:, 0]
        # In the unit of the table that is the mean of the samples that have a value.
        np.testing.assert_allclose(empty, 8 if by == "none" else 0)
        assert all(np.isfinite(part).all() for part in tables)


def test_transforms_come_before_the_t_statistics():
    # Only the order within the samples tells the classes: each sample has a unit of its own.
    rng = np.random.default_rng(0)
    parts = []
    for n in (16, 14):
        positive = np.arange(n) % 2 == 1
        values = rng.uniform(5, 6, size=(n, 20))
        values[:, 3] = np.where(positive, 9, 2) + 0.1 * rng.random(n)
        parts.append(table(values * np.geomspace(1, 1e6, n)[rng.permutation(n), None], np.where(positive, "b", "a")))
    split = SplitExpression(*parts)
    for transform in ("log", "rank"):
        assert prepare_genes(split, **SETTINGS | {"n_genes": 1, "transform": transform}).genes.tolist() == ["gene 4"]
    values = transform_expression(split.test.values, "log")[:, 3]
    genes = prepare_genes(split, **SETTINGS | {"n_genes": 1, "transform": "log", "standardization": "none"})
    np.testing.assert_array_equal(genes.test[:, 0], values)


@pytest.mark.parametrize("standardization", STANDARDIZATIONS)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_pruning_by_the_training_split_sees_nothing_of_the_test_split(transform, standardization):
    settings = SETTINGS | {"transform": transform, "standardization": standardization}
    split = noise(7, missing=0.1)
    expected = prepare_genes(split, **settings)
    relabelled = prepare_genes(other_test_labels(split), **settings)
    np.testing.assert_array_equal(relabelled.genes, expected.genes)
    np.testing.assert_array_equal(relabelled.training, expected.training)
    np.testing.assert_array_equal(relabelled.test, expected.test)
    assert relabelled.notes == expected.notes
    assert not np.array_equal(relabelled.test_positive, expected.test_positive)
    other_values = prepare_genes(change_test(split, values=noise(8).test.values), **settings)
    np.testing.assert_array_equal(other_values.genes, expected.genes)
    np.testing.assert_array_equal(other_values.training, expected.training)
    assert not np.array_equal(other_values.test, expected.test)


def test_pruning_by_the_whole_set_leaks():
    settings, split = SETTINGS | {"pruning": "whole"}, noise(7)
    expected = prepare_genes(split, **settings)
    assert set(prepare_genes(other_test_labels(split), **settings).genes) != set(expected.genes)
    assert set(prepare_genes(change_test(split, values=noise(8).test.values), **settings).genes) != set(expected.genes)
    values = np.concatenate([split.training.values, split.test.values])
    positive = np.concatenate([split.training.classes, split.test.classes]) == "yes"
    t = stats.ttest_ind(values[positive], values[~positive], equal_var=False).statistic
    np.testing.assert_array_equal(expected.genes, split.training.genes[np.argsort(-np.abs(t))[:10]])


def test_notes_say_what_was_left_out_or_filled_in():
    split = noise(11)
    training, test = split.training.values.copy(), split.test.values.copy()
    training[:, 0] = np.nan
    training[:, 1] = 4.0
    training[3, 2:14] = np.nan
    positive = split.training.classes == "yes"
    training[:, 20] = np.where(positive, 9, 1) + 0.01 * training[:, 20]
    test[:, 20] = 6.0
    test[1, 20] = np.nan
    found = prepare_genes(SplitExpression(table(training, split.training.classes), table(test, split.test.classes)),
                          **SETTINGS | {"n_genes": 1})  # fmt: skip
    assert found.genes.tolist() == ["gene 21"]
    assert found.test[:, 0].tolist() == [0.0] * 12
    assert found.notes == (
        "2 of 40 genes cannot be used (1 have no value in the training split)",
        "training sample 4 lacks 32% of its values; it is kept",
        "1 missing values of the chosen genes take the mean of their gene",
        "1 chosen genes are constant in the samples that scale the test split; they are 0 there",
    )


@pytest.mark.parametrize("by", ["training", "none"])
def test_no_note_calls_a_constant_gene_zero_that_is_not(by):
    split = noise(12)
    values = split.test.values.copy()
    values[:, :] = 6.0
    found = prepare_genes(change_test(split, values=values), **SETTINGS | {"standardization": by})
    assert np.abs(found.test).min() > 0
    assert not any("they are 0" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pruning": "test"}, "pruning must be one of training, whole, found 'test'"),
        ({"standardization": "zscore"}, "standardization must be one of split, training, none, found 'zscore'"),
        ({"transform": "sqrt"}, "transform must be one of none, log, rank, found 'sqrt'"),
    ],
)
def test_unknown_options_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        prepare_genes(noise(), **SETTINGS | change)


@pytest.mark.parametrize("names", [["a", "b", "c"], ["a"]])
def test_other_numbers_of_classes_are_refused(names):
    split = noise()
    classes = np.resize(names, len(split.training.classes))
    with pytest.raises(ValueError, match=f"Expected two classes .* found {len(names)}"):
        prepare_genes(SplitExpression(replace(split.training, classes=classes), split.test), **SETTINGS)


@pytest.mark.parametrize("rare", ["no", "yes"])
@pytest.mark.parametrize("pruning", ["training", "whole"])
def test_single_training_sample_of_a_class_is_refused(rare, pruning):
    split, settings = noise(), SETTINGS | {"pruning": pruning}
    classes = np.full(len(split.training.classes), "yes" if rare == "no" else "no", dtype="<U3")
    classes[:2] = rare
    two = SplitExpression(replace(split.training, classes=classes), split.test)
    assert len(prepare_genes(two, **settings).genes) == 10
    classes = classes.copy()
    classes[0] = classes[2]
    one = SplitExpression(replace(split.training, classes=classes), split.test)
    message = f"Expected at least 2 training samples of each class, found 1 of {rare}; a t-statistic needs them"
    with pytest.raises(ValueError, match=message):
        prepare_genes(one, **settings)


@pytest.mark.parametrize("transform", ["log", "rank"])
@pytest.mark.parametrize("pruning", ["training", "whole"])
def test_gene_that_is_constant_as_given_is_not_chosen_though_a_transform_moves_it(transform, pruning):
    settings = SETTINGS | {"transform": transform, "pruning": pruning}
    rng = np.random.default_rng(3)

    def chosen(spread):
        # The other genes are low in one class and high in the other: among them the constant ranks high, then low.
        parts = []
        for part in (noise().training, noise().test):
            values = rng.normal(5, 1, part.values.shape) + 100.0 * (part.classes == "yes")[:, None]
            values[:, 7] = 50.0 + spread * rng.normal(size=len(values))
            parts.append(replace(part, values=values))
        return prepare_genes(SplitExpression(*parts), **settings).genes

    assert "gene 8" in chosen(spread=1e-3)
    assert "gene 8" not in chosen(spread=0.0)
