"use strict";
// The interactive picture of a check. Without it, or where it fails, the page shows the static one.
(async () => {
  const box = document.querySelector(".map");
  const data = JSON.parse(document.getElementById("map-data").textContent);
  const find = (selector) => box.querySelector(selector);
  const canvas = find("canvas"), context = canvas.getContext("2d", { alpha: false }), tip = find(".map-tip");
  const colour = find("[name=colour]"), slider = find("[name=run]"), search = find("[name=find]"), legend = find(".map-legend");
  const make = (tag, fields = {}, ...inside) => { const made = Object.assign(document.createElement(tag), fields); made.append(...inside); return made; };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const { n } = data;

  // The arrays of the page: base64 of zlib, and of numbers first all low bytes, then the higher ones.
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
  };
  const whole = async (text, Kind, count) => {
    const bytes = await unpack(text), found = new Kind(count);
    for (let plane = 0; plane < Kind.BYTES_PER_ELEMENT; plane++) {
      for (let k = 0; k < count; k++) found[k] += bytes[plane * count + k] * 256 ** plane;
    }
    return found;
  };
  const consensus = await whole(data.picture, Uint16Array, 2 * n);
  const rows = data.points && await whole(data.points, Uint32Array, n);
  const names = data.names && JSON.parse(new TextDecoder().decode(await unpack(data.names)));
  for (const one of data.columns) one.values = await whole(one.codes ?? one.values, Uint16Array, n);
  const rowOf = (point) => rows ? rows[point] : point;
  const nameOf = (point) => names ? names[point] : `point ${rowOf(point)}`;

  // Steps to units of the screen: y points up.
  const loaded = new Map();
  const placesOf = async (run) => {
    if (!loaded.has(run)) {
      const moves = run ? await whole(data.runs[run - 1].moves, Uint16Array, 2 * n) : new Uint16Array(2 * n);
      const places = new Float32Array(2 * n);
      for (let k = 0; k < 2 * n; k++) places[k] = (k < n ? 1 : -1) * ((consensus[k] + moves[k]) & 0xffff);
      loaded.set(run, places);
    }
    return loaded.get(run);
  };
  const first = await placesOf(0);
  let places = first, run = 0;

  // What is seen: pixel = place * scale + shift, in pixels of the screen.
  let width = 0, height = 0, scale = 1, left = 0, top = 0, home = 1, ratio = 1;
  let pixels, image;
  const bounds = () => {
    const ends = [Infinity, -Infinity, Infinity, -Infinity];
    for (const at of [first, places]) {
      for (let k = 0; k < n; k++) {
        ends[0] = Math.min(ends[0], at[k]); ends[1] = Math.max(ends[1], at[k]);
        ends[2] = Math.min(ends[2], at[n + k]); ends[3] = Math.max(ends[3], at[n + k]);
      }
    }
    return ends;
  };
  const showAll = () => {
    const [a, b, c, d] = bounds(), margin = 0.9;
    scale = home = margin * Math.min(width / (b - a || 1), height / (d - c || 1));
    left = width / 2 - scale * (a + b) / 2;
    top = height / 2 - scale * (c + d) / 2;
  };
  const resize = () => {
    const size = canvas.getBoundingClientRect(), wanted = Math.min(devicePixelRatio || 1, 2);
    if (!size.width || !size.height) return;
    const x = (width / 2 - left) / scale, y = (height / 2 - top) / scale, zoom = scale / home, known = width > 0;
    ratio = wanted;
    width = canvas.width = Math.round(size.width * ratio);
    height = canvas.height = Math.round(size.height * ratio);
    // Without alpha it is black until the points are drawn.
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    image = context.createImageData(width, height);
    pixels = new Uint32Array(image.data.buffer);
    showAll();
    if (known) { scale *= zoom; left = width / 2 - x * scale; top = height / 2 - y * scale; }
    redraw();
  };

  // Markers, as paths in a square from -1 to 1, and their pixels.
  const SHAPES = {
    o: "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z", s: "M-.85-.85H.85V.85H-.85Z", D: "M0-1.15 1.15 0 0 1.15-1.15 0Z",
    "^": "M0-1.1 1.1.9H-1.1Z", v: "M0 1.1 1.1-.9H-1.1Z", "<": "M-1.1 0 .9-1.1V1.1Z", ">": "M1.1 0-.9-1.1V1.1Z",
    P: "M-.38-1.1H.38V-.38H1.1V.38H.38V1.1H-.38V.38H-1.1V-.38H-.38Z",
    X: "M-1.1-.6-.6-1.1 0-.5.6-1.1 1.1-.6.5 0 1.1.6.6 1.1 0 .5-.6 1.1-1.1.6-.5 0Z",
    x: "M-1.1-.75-.75-1.1 0-.35.75-1.1 1.1-.75.35 0 1.1.75.75 1.1 0 .35-.75 1.1-1.1.75-.35 0Z",
    "*": "M0-1.25.3-.4 1.2-.4.48.15.75 1 0 .5-.75 1-.48.15-1.2-.4-.3-.4Z",
  };
  const stamps = new Map();
  const stampOf = (shape, radius) => {
    const key = `${shape}${radius}`;
    if (!stamps.has(key)) {
      const half = Math.ceil(1.3 * radius) + 1, side = 2 * half + 1;
      const small = new OffscreenCanvas(side, side).getContext("2d");
      small.translate(half + 0.5, half + 0.5);
      small.scale(radius, radius);
      small.fill(new Path2D(SHAPES[shape]));
      const alpha = small.getImageData(0, 0, side, side).data, xs = [], ys = [], cover = [];
      for (let k = 0; k < side * side; k++) {
        if (alpha[4 * k + 3] > 20) { xs.push(k % side - half); ys.push(Math.floor(k / side) - half); cover.push(Math.round(0.9 * alpha[4 * k + 3])); }
      }
      stamps.set(key, { half, xs, ys, cover: Uint16Array.from(cover), at: new Int32Array(xs.length), of: 0 });
    }
    const stamp = stamps.get(key);
    if (stamp.of !== width) { stamp.of = width; stamp.xs.forEach((x, k) => { stamp.at[k] = stamp.ys[k] * width + x; }); }
    return stamp;
  };

  // The look of each point: its colour and marker, and the order in which points are drawn, faded ones first.
  const hex = (text) => parseInt(text.slice(1), 16);
  const packed = (rgb) => ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16);
  const FADED = packed(0xe2e2e2), STEPS = 65534, MISSING = 65535;
  const scaleColours = Array.from({ length: 256 }, (_, k) => {
    const place = k / 255 * (data.scale.length - 1), at = Math.min(Math.floor(place), data.scale.length - 2), part = place - at;
    const [a, b] = [hex(data.scale[at]), hex(data.scale[at + 1])];
    const mixed = [16, 8, 0].map((bits) => Math.round((a >> bits & 255) * (1 - part) + (b >> bits & 255) * part));
    return mixed[0] << 16 | mixed[1] << 8 | mixed[2];
  });
  let column = data.columns[0], chosen = new Set(), looks, lookOf, order, gathered = null;
  const mixedOrder = Uint32Array.from({ length: n }, (_, k) => k);
  for (let k = n - 1, state = 1; k > 0; k--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (k + 1), kept = mixedOrder[k];
    mixedOrder[k] = mixedOrder[other]; mixedOrder[other] = kept;
  }
  const prepare = () => {
    lookOf = new Uint16Array(n);
    let rank;
    if (column.names) {
      looks = [...column.looks, null].map((look, k) => {
        if (chosen.size && !chosen.has(k)) return { colour: FADED, shape: "o" };
        if (look) return { colour: packed(hex(look[0])), shape: look[1] };
        return { colour: packed(hex(chosen.size ? data.chosen : data.other)), shape: "o" };
      });
      lookOf.set(column.values);
      // Of stability the unstable points are on top; other categories are mixed, so that none hides another.
      rank = (look) => (chosen.size && chosen.has(look) ? looks.length : 0) + (column.key === "category" ? look : 0);
    } else {
      looks = [...scaleColours.map((rgb) => ({ colour: packed(rgb), shape: "o" })), { colour: packed(hex(data.other)), shape: "o" }];
      for (let k = 0; k < n; k++) lookOf[k] = column.values[k] === MISSING ? 256 : Math.round(column.values[k] / STEPS * 255);
      rank = (look) => (look === 256 ? 0 : look + 1);
    }
    const ranks = looks.map((_, k) => rank(k)), starts = new Uint32Array(Math.max(...ranks) + 2);
    for (let k = 0; k < n; k++) starts[ranks[lookOf[k]] + 1]++;
    for (let k = 1; k < starts.length; k++) starts[k] += starts[k - 1];
    order = new Uint32Array(n);
    for (const point of mixedOrder) order[starts[ranks[lookOf[point]]]++] = point;
    gathered = null;
  };

  const radius = () => {
    const narrow = Math.min(1, Math.max(0.65, width / ratio / 800));
    const size = Math.max(1.1, narrow * Math.min(5, 14 / n ** 0.25)) * Math.min(4, Math.max(0.6, scale / home)) ** 0.4;
    return Math.round(4 * size * ratio) / 4;
  };
  // Places and looks in the order of drawing: read one after the other, a frame takes two thirds of the time.
  const drawnX = new Float32Array(n), drawnY = new Float32Array(n), drawnLook = new Uint16Array(n);
  const gather = () => {
    for (let k = 0; k < n; k++) {
      const point = order[k];
      drawnX[k] = places[point]; drawnY[k] = places[n + point]; drawnLook[k] = lookOf[point];
    }
    gathered = places;
  };
  const drawPoints = () => {
    if (gathered !== places) gather();
    pixels.fill(0xffffffff);
    const size = radius(), known = looks.map((look) => ({ stamp: stampOf(look.shape, size), red: look.colour & 0xff00ff, green: look.colour & 0xff00 }));
    for (let k = 0; k < n; k++) {
      const { stamp, red, green } = known[drawnLook[k]], { half, at, cover } = stamp;
      const x = (drawnX[k] * scale + left) | 0, y = (drawnY[k] * scale + top) | 0;
      if (x < half || y < half || x >= width - half || y >= height - half) continue;
      const middle = y * width + x;
      for (let j = 0; j < at.length; j++) {
        const pixel = middle + at[j], a = cover[j], b = 256 - a, old = pixels[pixel];
        pixels[pixel] = 0xff000000
          | (((Math.imul(old & 0xff00ff, b) + Math.imul(red, a)) >>> 8) & 0xff00ff)
          | (((Math.imul(old & 0xff00, b) + Math.imul(green, a)) >>> 8) & 0xff00);
      }
    }
  };
  const on = (at, point) => [at[point] * scale + left, at[n + point] * scale + top];
  const dot = (x, y, size) => { context.beginPath(); context.arc(x, y, size * ratio, 0, 7); };
  let picked = -1, fixed = false, cross = false, spider = [];
  const drawOver = () => {
    context.lineWidth = ratio;
    if (column.numbered && !run) drawNumbers();
    if (picked < 0) return;
    const [x, y] = on(places, picked);
    context.strokeStyle = context.fillStyle = "#000";
    for (const one of fixed ? spider : []) {
      const [a, b] = on(one, picked);
      context.globalAlpha = 0.45;
      context.beginPath(); context.moveTo(x, y); context.lineTo(a, b); context.stroke();
      context.globalAlpha = 1;
      dot(a, b, 2.5); context.fill();
    }
    context.lineWidth = 2 * ratio;
    dot(x, y, radius() / ratio + 4); context.strokeStyle = "#fff"; context.lineWidth = 4 * ratio; context.stroke();
    context.strokeStyle = "#000"; context.lineWidth = 2 * ratio; context.stroke();
  };
  const middles = new Map();
  const drawNumbers = () => {
    const key = column.key;
    if (!middles.has(key)) {
      // Medians of the consensus, so that a number is where most of its points are.
      const members = column.names.map(() => []);
      for (let k = 0; k < n; k++) members[column.values[k]]?.push(k);
      const median = (of, from) => Float32Array.from(of, (k) => first[from + k]).sort()[of.length >> 1];
      middles.set(key, members.map((of) => of.length ? [median(of, 0), median(of, n)] : null));
    }
    context.font = `bold ${12 * ratio}px system-ui, sans-serif`;
    context.textAlign = "center"; context.textBaseline = "middle";
    let number = 0;
    middles.get(key).forEach((middle, k) => {
      if (!column.looks[k]) return;
      number++;
      if (!middle || (chosen.size && !chosen.has(k))) return;
      const x = middle[0] * scale + left, y = middle[1] * scale + top, wide = context.measureText(number).width + 5 * ratio;
      context.fillStyle = "rgba(255,255,255,.8)";
      context.fillRect(x - wide / 2, y - 8 * ratio, wide, 16 * ratio);
      context.fillStyle = "#000";
      context.fillText(number, x, y);
    });
  };
  let stale = false, waiting = false;
  const paint = () => {
    waiting = false;
    if (!width) return;
    if (stale) { stale = false; drawPoints(); }
    context.putImageData(image, 0, 0);
    drawOver();
    placeTip();
  };
  const overlay = () => { if (!waiting) { waiting = true; requestAnimationFrame(paint); } };
  const redraw = () => { stale = true; overlay(); };

  // The point under the pointer, or nearest to the middle for the keyboard.
  const nearest = (x, y, reach) => {
    let best = reach * reach, found = -1;
    for (let k = 0; k < n; k++) {
      const a = places[k] * scale + left - x, b = places[n + k] * scale + top - y, far = a * a + b * b;
      if (far < best) { best = far; found = k; }
    }
    return found;
  };
  // In no more digits than the steps in which the column is stored, with at most three decimals; very small numbers have three digits.
  const number = (value, one) => {
    if (Math.max(Math.abs(one.low), Math.abs(one.high)) < 0.01) return String(+value.toPrecision(3));
    const decimals = Math.min(3, Math.floor(-Math.log10((one.high - one.low) / STEPS)));
    return String(decimals < 0 ? Math.round(value / 10 ** -decimals) * 10 ** -decimals : +value.toFixed(decimals));
  };
  const valueOf = (one, point) => {
    const code = one.values[point];
    if (one.names) return one.names[code] ?? "none";
    return code === MISSING ? "missing" : number(one.low + code / STEPS * (one.high - one.low), one);
  };
  const tell = () => {
    tip.replaceChildren();
    if (picked < 0) return;
    const lines = names ? [`row ${rowOf(picked)}`] : [];
    const shown = data.columns.filter((one) => ["category", "label", "instability"].includes(one.key) || one === column);
    const known = Object.fromEntries(data.columns.map((one) => [one.key, one]));
    for (const one of shown) {
      const ends = one.key === "instability" && known.instability_low && known.instability_high;
      lines.push(`${one.title}: ${valueOf(one, picked)}${ends ? ` [${valueOf(known.instability_low, picked)}, ${valueOf(known.instability_high, picked)}]` : ""}`);
    }
    if (fixed && data.runs.length) lines.push(`Lines lead to its places in ${data.runs.length} run${data.runs.length === 1 ? "" : "s"}.`);
    tip.append(make("b", { textContent: nameOf(picked) }), ...lines.map((textContent) => make("span", { textContent })));
  };
  const placeTip = () => {
    if (picked < 0) return;
    const [x, y] = on(places, picked).map((pixel) => pixel / ratio), wide = tip.offsetWidth, high = tip.offsetHeight;
    const room = width / ratio, low = height / ratio, reach = Math.max(8, radius() / ratio + 6);
    tip.style.left = `${Math.max(2, Math.min(room - wide - 2, x + reach + wide > room ? x - reach - wide : x + reach))}px`;
    tip.style.top = `${Math.max(2, Math.min(low - high - 2, y + reach))}px`;
  };
  const pick = (point, keep) => {
    if (point === picked && keep === fixed) return;
    picked = point; fixed = keep && point >= 0;
    tell();
    overlay();
    if (fixed && spider.length < data.runs.length) Promise.all(data.runs.map((_, k) => placesOf(k + 1))).then((all) => { spider = all; overlay(); });
  };

  const zoom = (factor, x = width / 2, y = height / 2) => {
    const wanted = Math.min(400 * home, Math.max(home / 4, scale * factor)), part = wanted / scale;
    left = x - (x - left) * part; top = y - (y - top) * part; scale = wanted;
    // At the whole picture a finger scrolls the page; in a part of it, it moves the picture.
    canvas.style.touchAction = scale > 1.01 * home ? "none" : "pan-y";
    redraw();
  };
  const showWhole = () => { showAll(); zoom(1); };
  const atPointer = (event) => { const area = canvas.getBoundingClientRect(); return [(event.clientX - area.left) * ratio, (event.clientY - area.top) * ratio]; };
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...atPointer(event));
  }, { passive: false });

  const fingers = new Map();
  let travelled = 0;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, atPointer(event));
    canvas.setPointerCapture(event.pointerId);
    if (fingers.size === 1) travelled = 0;
    cross = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = atPointer(event), before = fingers.get(event.pointerId);
    if (!before) {
      if (!fixed) pick(nearest(...now, 12 * ratio), false);
      return;
    }
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
    travelled += Math.hypot(now[0] - before[0], now[1] - before[1]) / ratio;
    if (others.length) {
      const [x, y] = others[0], apart = (place) => Math.hypot(place[0] - x, place[1] - y) || 1;
      zoom(apart(now) / apart(before), x, y);
    } else if (travelled > 4) {
      canvas.classList.add("moving");
      left += now[0] - before[0]; top += now[1] - before[1];
      redraw();
    }
    fingers.set(event.pointerId, now);
  });
  const lift = (event) => {
    const clicked = event.type === "pointerup" && fingers.size === 1 && travelled <= 4;
    fingers.delete(event.pointerId);
    canvas.classList.remove("moving");
    if (!clicked) return;
    const point = nearest(...atPointer(event), (event.pointerType === "touch" ? 24 : 12) * ratio);
    pick(fixed && point === picked ? -1 : point, true);
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => { if (!fixed && !cross) pick(-1, false); });
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = width / 12;
    const does = {
      ArrowLeft: () => { left += step; redraw(); }, ArrowRight: () => { left -= step; redraw(); },
      ArrowUp: () => { top += step; redraw(); }, ArrowDown: () => { top -= step; redraw(); },
      "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: showWhole,
    }[event.key];
    if (event.key === "Escape") { cross = false; pick(-1, false); return; }
    if (event.key === "Enter") { if (picked >= 0) pick(picked, !fixed); return; }
    if (!does) return;
    event.preventDefault();
    cross = true;
    does();
    pick(nearest(width / 2, height / 2, width), false);
  });
  find("[name=in]").addEventListener("click", () => zoom(1.6));
  find("[name=out]").addEventListener("click", () => zoom(1 / 1.6));
  find("[name=all]").addEventListener("click", showWhole);

  // Points move to their places in a run.
  let moving = 0;
  const showRun = async (to) => {
    const target = await placesOf(to);
    if (+slider.value !== to) return;
    find(".map-runs output").textContent = to ? data.runs[to - 1].name : "consensus";
    run = to;
    cancelAnimationFrame(moving);
    if (calm.matches) { places = target; redraw(); return; }
    const from = places.slice(), now = new Float32Array(2 * n), start = performance.now();
    const step = (time) => {
      const part = Math.min(1, Math.max(0, (time - start) / 600)), eased = part * part * (3 - 2 * part);
      if (part === 1) places = target;
      else { for (let k = 0; k < 2 * n; k++) now[k] = from[k] + (target[k] - from[k]) * eased; places = now; gathered = null; moving = requestAnimationFrame(step); }
      redraw();
    };
    moving = requestAnimationFrame(step);
  };
  slider.max = data.runs.length;
  find(".map-runs").hidden = !data.runs.length;
  slider.addEventListener("input", () => showRun(+slider.value));

  // The legend: a button per category, or a bar of colours.
  const swatch = (look) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.setAttribute("viewBox", "-1.5 -1.5 3 3"); svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", SHAPES[look ? look[1] : "o"]); path.setAttribute("fill", look ? look[0] : data.other);
    svg.append(path);
    return svg;
  };
  const showLegend = () => {
    chosen = new Set();
    const head = make("p", { className: "map-head", textContent: column.title });
    if (!column.names) {
      const bar = make("div", { className: "map-bar" });
      bar.style.background = `linear-gradient(to right, ${data.scale})`;
      const parts = [head, bar, make("div", { className: "map-ends" }, make("span", { textContent: number(column.low, column) }), make("span", { textContent: number(column.high, column) }))];
      if (column.values.includes(MISSING)) parts.push(make("p", { className: "soft", textContent: "Grey: missing." }));
      legend.replaceChildren(...parts);
      return;
    }
    const counts = new Uint32Array(column.names.length + 1);
    for (const code of column.values) counts[code]++;
    const list = make("ul", { ariaLabel: `Categories of ${column.title}` }), every = make("button", { type: "button", textContent: "Show all", hidden: true });
    const change = () => {
      for (const button of list.querySelectorAll("button")) button.setAttribute("aria-pressed", chosen.has(+button.value));
      every.hidden = !chosen.size;
      prepare(); redraw();
    };
    let place = 0;
    [...column.names, "none"].forEach((name, code) => {
      if (!counts[code] && code === column.names.length) return;
      const look = column.looks[code], shown = column.numbered && look ? `${++place}  ${name}` : name;
      const button = make("button", { type: "button", value: code }, swatch(look), make("span", { textContent: shown }), make("span", { className: "n", textContent: counts[code] }));
      button.addEventListener("click", () => { if (!chosen.delete(code)) chosen.add(code); change(); });
      list.append(make("li", {}, button));
    });
    every.addEventListener("click", () => { chosen.clear(); list.querySelector("button").focus(); change(); });
    legend.replaceChildren(head, list, every);
    change();
  };
  colour.append(...data.columns.map((one, k) => make("option", { value: k, textContent: one.title })));
  const showColumn = () => { column = data.columns[colour.value]; showLegend(); prepare(); tell(); redraw(); };
  colour.addEventListener("change", showColumn);

  const findPoint = () => {
    const typed = search.value.trim(), wanted = typed.toLowerCase();
    search.setCustomValidity("");
    if (!wanted) { pick(-1, false); return; }
    const given = (names ?? []).map((name) => name.trim()), all = given.map((name) => name.toLowerCase());
    let point = given.indexOf(typed);
    if (point < 0) point = all.indexOf(wanted);
    for (let k = 0; point < 0 && k < n; k++) if (String(rowOf(k)) === wanted) point = k;
    if (point < 0) point = all.findIndex((name) => name.startsWith(wanted));
    if (point < 0) { search.setCustomValidity(`No point has the name or row “${search.value}”.`); search.reportValidity(); return; }
    const [x, y] = on(places, point);
    if (x < 0 || y < 0 || x > width || y > height) { left += width / 2 - x; top += height / 2 - y; redraw(); }
    pick(point, true);
  };
  search.addEventListener("change", findPoint);
  // Enter on the same text again is no change.
  search.addEventListener("keydown", (event) => { if (event.key === "Enter") findPoint(); });
  search.addEventListener("input", () => search.setCustomValidity(""));

  box.hidden = false;
  showColumn();
  showWhole();
  new ResizeObserver(resize).observe(canvas);
  resize();
  box.dataset.ready = "yes";
})();
