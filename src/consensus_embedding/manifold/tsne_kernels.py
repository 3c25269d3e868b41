"""The loops of t-SNE, compiled: affinities of a row, forces over all pairs or by a quadtree, loss, and the descent."""

from __future__ import annotations

import numpy as np
from numba import njit

# Sums may be added up in another order, and error_model="numpy" leaves out numba's check of divisions: only so does
# the loop over pairs vectorise, which is ten times as fast. Approximate reciprocals ("arcp" and "afn", which
# fastmath=True has) are not allowed: Intel's and AMD's differ in their last digits, and t-SNE is chaotic.
_FLAGS = {"nnan", "ninf", "nsz", "reassoc", "contract"}
FAST = {"cache": True, "nogil": True, "fastmath": _FLAGS, "error_model": "numpy"}
# Were it left to the compiler whether a loop is inlined, the last digit of its sums would depend on whether the code
# was just compiled or came from the cache, and a last digit grows into another run.
_INLINED = {**FAST, "forceinline": True}
# The tree decides by comparisons, whose sums nobody may reorder.
_TREE = {"cache": True, "nogil": True, "error_model": "numpy", "forceinline": True}
EXPLORATION_ITERATIONS = 250
CHECK_EVERY = 50
# Points this near in both coordinates count as one and do not repel each other, as in scikit-learn.
_NEAR = np.float32(1e-6)
# Halving more often does not part points that are finite in single precision.
_DEEPEST = 200
# Marks the end of a cell on the stack; cells are fewer.
_END = 1 << 29
# Neighbouring points that walk through the tree together: two vectors of AVX2 (half as many take twice as long).
_LANES = 16


@njit(cache=True, nogil=True)
def conditional_probabilities(squared_distances: np.ndarray, perplexity: float) -> np.ndarray:
    """Row-wise Gaussian affinities whose entropy is log(perplexity), by bisection on the precision."""
    n, k = squared_distances.shape
    result = np.empty((n, k))
    target = np.log(perplexity)
    for i in range(n):
        low, high, beta = 0.0, np.inf, 1.0
        # Distances from the nearest one on: the same probabilities, and the row does not underflow.
        nearest = np.inf
        for j in range(k):
            nearest = min(nearest, squared_distances[i, j])
        for _ in range(100):
            total, weighted = 0.0, 0.0
            for j in range(k):
                d = squared_distances[i, j] - nearest
                p = np.exp(-beta * d)
                result[i, j] = p
                total += p
                weighted += p * d
            gap = np.log(total) + beta * weighted / total - target
            if abs(gap) <= 1e-5:
                break
            if gap > 0.0:
                low = beta
                beta = beta * 2.0 if high == np.inf else 0.5 * (beta + high)
            else:
                high = beta
                beta = 0.5 * (beta + low)
        for j in range(k):
            result[i, j] /= total
    return result


@njit(**_INLINED)
def repulsion(x: np.ndarray, y: np.ndarray, forces: np.ndarray) -> float:
    """Unnormalised repulsive forces into `forces` (n, 2); returns the normaliser of the similarities."""
    n = len(x)
    half = n // 2
    one = np.float32(1)
    total = 0.0
    for i in range(n):
        xi, yi = x[i], y[i]
        row, fx, fy = np.float32(0), np.float32(0), np.float32(0)
        # Two pairs share one division, the slowest step: 1 / a = b / (a b).
        for j in range(half):
            dx, dy, ex, ey = xi - x[j], yi - y[j], xi - x[half + j], yi - y[half + j]
            a, b = one + dx * dx + dy * dy, one + ex * ex + ey * ey
            both = one / (a * b)
            q, r = both * b, both * a
            row += q + r
            fx += q * q * dx + r * r * ex
            fy += q * q * dy + r * r * ey
        if n % 2:
            dx, dy = xi - x[n - 1], yi - y[n - 1]
            q = one / (one + dx * dx + dy * dy)
            row += q
            fx += q * q * dx
            fy += q * q * dy
        total += row
        forces[i, 0], forces[i, 1] = fx, fy
    return total - n


@njit(**_TREE)
def _quadtree(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """
    Cells that are quartered until each quarter has one point, in the way of scikit-learn's quadtree.

    Points come in one by one. One that falls into a quarter whose point is near joins that point, whatever lies nearer
    in other quarters, and stays with it when the quarter is cut; so which points join depends on their order. Returns
    box, sums, kids, joined and chain.
    """
    n = len(x)
    room = 2 * n + 100
    # Of each cell: lower, upper and middle corner; sum of x, sum of y, number; quarters, of which 0 is empty, k > 0 is
    # cell k, -1 - i is point i.
    box, sums, kids = np.empty((room, 6), np.float32), np.empty((room, 3)), np.empty((room, 4), np.int32)
    # Number of points that joined each one, itself included, and from each point to the next that joined it (-1: none).
    joined, chain = np.ones(n, np.int32), np.full(n, -1, np.int32)
    for a in range(2):
        values = x if a == 0 else y
        high = values.max()
        # The margin is scikit-learn's. It is wider than a random start, and so moves the edges of all cells.
        margin = np.float32(1e-3)
        box[0, a] = values.min()
        box[0, 2 + a] = max(high * (np.float32(1) + margin * np.sign(high)), high + margin)
    _set_middle(box, 0)
    # The square is cut at the first point that does not join point 0.
    first = 1
    while first < n and _are_near(x, y, 0, first):
        chain[first], chain[0] = chain[0], first
        first += 1
    joined[0] = first
    _start_cell(x, y, box, sums, kids, joined, 0, 0)
    cells = 1
    for i in range(first, n):
        c, depth = 0, 0
        while True:
            sums[c, 0] += x[i]
            sums[c, 1] += y[i]
            sums[c, 2] += 1
            quarter = _quarter(x, y, box, c, i)
            kid = kids[c, quarter]
            if kid > 0:
                c, depth = kid, depth + 1
                continue
            if kid == 0:
                kids[c, quarter] = -1 - i
                break
            other = -1 - kid
            if _are_near(x, y, other, i) or depth >= _DEEPEST:
                chain[i], chain[other] = chain[other], i
                joined[other] += 1
                break
            if cells == room:
                box, sums, kids = np.concatenate((box, box)), np.concatenate((sums, sums)), np.concatenate((kids, kids))
                room *= 2
            for a in range(2):
                upper = (quarter >> a) & 1
                box[cells, a] = box[c, 4 + a] if upper else box[c, a]
                box[cells, 2 + a] = box[c, 2 + a] if upper else box[c, 4 + a]
            _set_middle(box, cells)
            _start_cell(x, y, box, sums, kids, joined, cells, other)
            kids[c, quarter] = cells
            c, depth, cells = cells, depth + 1, cells + 1
    return box[:cells], sums, kids, joined, chain


@njit(**_TREE)
def _set_middle(box: np.ndarray, c: int) -> None:
    for a in range(2):
        box[c, 4 + a] = np.float32(0.5 * (np.float64(box[c, a]) + np.float64(box[c, 2 + a])))


@njit(**_TREE)
def _are_near(x: np.ndarray, y: np.ndarray, i: int, j: int) -> bool:
    return abs(x[i] - x[j]) <= _NEAR and abs(y[i] - y[j]) <= _NEAR


@njit(**_TREE)
def _quarter(x: np.ndarray, y: np.ndarray, box: np.ndarray, c: int, i: int) -> int:
    return (x[i] >= box[c, 4]) + 2 * (y[i] >= box[c, 5])


@njit(**_TREE)
def _start_cell(
    x: np.ndarray,
    y: np.ndarray,
    box: np.ndarray,
    sums: np.ndarray,
    kids: np.ndarray,
    joined: np.ndarray,
    c: int,
    i: int,
) -> None:
    """Cell c has point i and those that joined it, as if all were at the place of point i."""
    sums[c, 0], sums[c, 1], sums[c, 2] = joined[i] * np.float64(x[i]), joined[i] * np.float64(y[i]), joined[i]
    kids[c] = 0
    kids[c, _quarter(x, y, box, c, i)] = -1 - i


@njit(**_TREE)
def _depth_first(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """
    The quadtree as a list: each cell before what it contains.

    Returns nodes (centre of mass, number of points, squared width or, for points, -1), the node that follows after all
    that a node contains, and the points in the order in which they are met.
    """
    n = len(x)
    box, sums, kids, joined, chain = _quadtree(x, y)
    nodes, after = np.empty((len(box) + n, 4), np.float32), np.empty(len(box) + n, np.int32)
    order, stack = np.empty(n, np.int32), np.empty(5 * (_DEEPEST + 2), np.int32)
    top, node, met = 1, 0, 0
    stack[0] = 0
    while top > 0:
        top -= 1
        item = stack[top]
        if item >= _END:
            after[item - _END] = node
            continue
        if item < 0:
            i = -1 - item
            nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3] = x[i], y[i], joined[i], -1
            while i >= 0:
                order[met] = i
                met += 1
                i = chain[i]
        else:
            count, width = sums[item, 2], max(box[item, 2] - box[item, 0], box[item, 3] - box[item, 1])
            nodes[node, 0], nodes[node, 1] = sums[item, 0] / count, sums[item, 1] / count
            nodes[node, 2], nodes[node, 3] = count, width * width
            stack[top] = _END + node
            top += 1
            for quarter in range(4):
                if kids[item, quarter] != 0:
                    stack[top] = kids[item, quarter]
                    top += 1
        node += 1
    return nodes[:node], after, order


@njit(**_INLINED)
def approximate_repulsion(x: np.ndarray, y: np.ndarray, forces: np.ndarray, angle: float) -> float:
    """
    As `repulsion`, but a cell of the quadtree seen from a point under less than `angle` acts as one mass (Barnes-Hut).

    Each point decides for itself, by the width of the cell over the distance to its centre of mass, as in scikit-learn.
    Some neighbours in the tree walk through it together, which changes no decision: a point that took a cell as one
    mass waits until the others are through with what the cell contains.
    """
    n = len(x)
    zero, one = np.float32(0), np.float32(1)
    squared_angle = np.float32(angle) * np.float32(angle)
    nodes, after, order = _depth_first(x, y)
    # x, y, sum of similarities, two forces, node waited for. In one array, or the compiler would have to check that
    # arrays do not overlap; node numbers are exact in single precision up to 16 million.
    lanes = np.empty(6 * _LANES, np.float32)
    total = 0.0
    for start in range(0, n, _LANES):
        for k in range(_LANES):
            i = order[min(start + k, n - 1)]
            lanes[k], lanes[_LANES + k] = x[i], y[i]
        lanes[2 * _LANES :] = zero
        node = 0
        while node < len(nodes):
            here, mx, my, mass, width = np.float32(node), nodes[node, 0], nodes[node, 1], nodes[node, 2], nodes[node, 3]
            if width < zero:
                for k in range(_LANES):
                    dx, dy = lanes[k] - mx, lanes[_LANES + k] - my
                    q = one / (one + dx * dx + dy * dy)
                    is_other = max(abs(dx), abs(dy)) > _NEAR
                    s = mass * q if (lanes[5 * _LANES + k] <= here) & is_other else zero
                    lanes[2 * _LANES + k] += s
                    lanes[3 * _LANES + k] += s * q * dx
                    lanes[4 * _LANES + k] += s * q * dy
                node += 1
                continue
            beyond = np.float32(after[node])
            for k in range(_LANES):
                dx, dy, wait = lanes[k] - mx, lanes[_LANES + k] - my, lanes[5 * _LANES + k]
                d = dx * dx + dy * dy
                q = one / (one + d)
                s = mass * q if (wait <= here) & (width < squared_angle * d) else zero
                lanes[2 * _LANES + k] += s
                lanes[3 * _LANES + k] += s * q * dx
                lanes[4 * _LANES + k] += s * q * dy
                lanes[5 * _LANES + k] = beyond if s > zero else wait
            least = beyond
            for k in range(_LANES):
                least = min(least, lanes[5 * _LANES + k])
            node = node + 1 if least <= here else after[node]
        for k in range(min(_LANES, n - start)):
            total += lanes[2 * _LANES + k]
            forces[order[start + k], 0], forces[order[start + k], 1] = lanes[3 * _LANES + k], lanes[4 * _LANES + k]
    # Nothing repels when all points are near each other.
    return max(total, np.finfo(np.float64).eps)


@njit(**_INLINED)
def attraction(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    forces: np.ndarray,
    first: int,
    last: int,
) -> None:
    """Attractive forces on some points into `forces` (n, 2); an edge is met from both ends, so rows are sums alone."""
    one = np.float32(1)
    for i in range(first, last):
        xi, yi, fx, fy = x[i], y[i], np.float32(0), np.float32(0)
        neighbors, pulls = indices[indptr[i] : indptr[i + 1]], weights[indptr[i] : indptr[i + 1]]
        for k in range(len(neighbors)):
            j = np.uint32(neighbors[k])
            dx, dy = xi - x[j], yi - y[j]
            w = pulls[k] / (one + dx * dx + dy * dy)
            fx += w * dx
            fy += w * dy
        forces[i, 0], forces[i, 1] = fx, fy


@njit(**_INLINED)
def repulsion_in_space(points: np.ndarray, forces: np.ndarray, room: np.ndarray) -> float:
    """As `repulsion`, of points in any number of dimensions; `room` is for one more number per point."""
    n, dimensions = points.shape
    columns, near = points.T.copy(), room
    one = np.float32(1)
    total = 0.0
    for i in range(n):
        near[:] = one
        for c in range(dimensions):
            here, column = points[i, c], columns[c]
            for j in range(n):
                near[j] += (here - column[j]) * (here - column[j])
        row = np.float32(0)
        for j in range(n):
            q = one / near[j]
            row += q
            near[j] = q * q
        total += row
        for c in range(dimensions):
            here, column, force = points[i, c], columns[c], np.float32(0)
            for j in range(n):
                force += near[j] * (here - column[j])
            forces[i, c] = force
    return total - n


@njit(**_INLINED)
def _squared_distance(points: np.ndarray, i: int, j: int) -> float:
    result = np.float32(0)
    for c in range(points.shape[1]):
        result += (points[i, c] - points[j, c]) * (points[i, c] - points[j, c])
    return result


@njit(**_INLINED)
def attraction_in_space(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, points: np.ndarray, forces: np.ndarray
) -> None:
    """As `attraction`, of points in any number of dimensions."""
    forces[:] = np.float32(0)
    for i in range(len(points)):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            w = weights[k] / (np.float32(1) + _squared_distance(points, i, j))
            for c in range(points.shape[1]):
                forces[i, c] += w * (points[i, c] - points[j, c])


@njit(**_INLINED)
def divergence(indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, points: np.ndarray, total: float) -> float:
    """Kullback-Leibler divergence over the edges, each met from both its ends."""
    result = 0.0
    for i in range(len(points)):
        for k in range(indptr[i], indptr[i + 1]):
            p = np.float64(weights[k])
            if p > 0.0:
                result += p * np.log(p * total * (1.0 + _squared_distance(points, i, indices[k])))
    return result


@njit(**FAST)
def loss(indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, points: np.ndarray) -> float:
    """
    Kullback-Leibler divergence of points in any number of dimensions, exact.

    The normaliser of a descent contains the similarity of each point to itself, which is taken off again: where all
    others are small, of few points or a wide picture, only rounding remains. Here it is summed in double precision.
    """
    columns, total = points.T.astype(np.float64), 0.0
    squared = np.empty(len(points))
    for i in range(len(points)):
        squared[:i] = 0.0
        for column in columns:
            for j in range(i):
                squared[j] += (column[i] - column[j]) * (column[i] - column[j])
        row = 0.0
        for j in range(i):
            row += 1.0 / (1.0 + squared[j])
        total += row
    return divergence(indptr, indices, weights, points, 2.0 * total)


@njit(**_INLINED)
def move(
    xy: np.ndarray,
    pull: np.ndarray,
    push: np.ndarray,
    total: float,
    factor: float,
    momentum: float,
    rate: float,
    update: np.ndarray,
    gains: np.ndarray,
) -> float:
    """One step of all points, in place; returns the length of the gradient."""
    scale = np.float32(1.0 / total)
    norm = 0.0
    places, pulls, pushes = xy.ravel(), pull.ravel(), push.ravel()
    updates, all_gains = update.ravel(), gains.ravel()
    for i in range(len(places)):
        gradient = np.float32(4) * (factor * pulls[i] - scale * pushes[i])
        norm += np.float64(gradient) * np.float64(gradient)
        gain = all_gains[i]
        if updates[i] * gradient < np.float32(0):
            gain += np.float32(0.2)
        else:
            gain *= np.float32(0.8)
        gain = max(gain, np.float32(0.01))
        all_gains[i] = gain
        step = momentum * updates[i] - rate * gain * gradient
        updates[i] = step
        places[i] += step
    return np.sqrt(norm)


@njit(cache=True, nogil=True, inline="always")
def _into_columns(xy: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Coordinates by column. A loop, since copying by slices takes seconds to compile."""
    for i in range(len(xy)):
        x[i], y[i] = xy[i, 0], xy[i, 1]


@njit(**FAST)
def descend(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    xy: np.ndarray,
    rate: float,
    exaggeration: float,
    max_iter: int,
    min_grad_norm: float,
    patience: int,
    angle: float | None,
    room: np.ndarray | None,
) -> int:
    """
    Gradient descent with momentum and gains, in place; an early phase with exaggerated attraction.

    `angle` is that of `approximate_repulsion`; None means all pairs. `room` is that of `repulsion_in_space`; None means
    points in the plane. What only serves an argument that is None is not compiled. Returns the iterations.
    """
    n = len(xy)
    x, y = np.empty(n, np.float32), np.empty(n, np.float32)
    pull, push = np.empty(xy.shape, np.float32), np.empty(xy.shape, np.float32)
    update, gains = np.empty(xy.shape, np.float32), np.empty(xy.shape, np.float32)
    iteration = 0
    for phase in range(2):
        factor = exaggeration if phase == 0 else np.float32(1)
        momentum = np.float32(0.5) if phase == 0 else np.float32(0.8)
        last = min(EXPLORATION_ITERATIONS, max_iter) if phase == 0 else max_iter
        wait = EXPLORATION_ITERATIONS if phase == 0 else patience
        best, best_iteration = np.float64(np.finfo(np.float64).max), iteration
        update[:] = np.float32(0)
        gains[:] = np.float32(1)
        while iteration < last:
            checking = (iteration + 1) % CHECK_EVERY == 0
            if room is None:
                _into_columns(xy, x, y)
                total = repulsion(x, y, push) if angle is None else approximate_repulsion(x, y, push, angle)
                attraction(indptr, indices, weights, x, y, pull, 0, n)
            else:
                total = repulsion_in_space(xy, push, room)
                attraction_in_space(indptr, indices, weights, xy, pull)
            if checking:
                error = divergence(indptr, indices, weights, xy, total)
            norm = move(xy, pull, push, total, factor, momentum, rate, update, gains)
            iteration += 1
            if checking:
                if error < best:
                    best, best_iteration = error, iteration
                elif iteration - best_iteration > wait:
                    break
                if norm <= min_grad_norm:
                    break
    return iteration
