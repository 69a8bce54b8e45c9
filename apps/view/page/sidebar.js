// The right-hand side: numbers under the pointer, points, regions, samples.

import {text} from "./colours.js";
import {isOutlier} from "./marks.js";

const $ = (id) => document.getElementById(id);

function cell(content, className = "") {
  const td = document.createElement("td");
  td.className = className;
  td.append(content);
  return td;
}

function button(label, title, action) {
  const element = document.createElement("button");
  Object.assign(element, {textContent: label, title});
  element.addEventListener("click", action);
  return element;
}

export function showPointer(scene) {
  const {pointer: pixel, maps, size} = scene;
  if (pixel === null || pixel === undefined || !maps.mean) {
    $("readout").textContent = "–";
    $("readout-detail").textContent = "move over a map";
    return;
  }
  const unit = scene.unit === "relative" ? "" : ` ${scene.unit}`;
  const {median, low, high} = scene.interval(maps.mean[pixel], maps.logitStd[pixel]);
  $("readout").textContent = `${text(median)}${unit}`;
  const facts =
      [`90 %: ${text(low)} to ${text(high)}${unit}`, `std ${text(scene.std?.[pixel])}${unit}`];
  const {kind, content} = scene.pointed ?? {};
  if (/sample|member|correlation/.test(kind) && content?.values)
    facts.push(`${kind} ${text(content.values[pixel])}`);
  const measured = scene.measuredAt.get(pixel);
  if (measured) facts.push(`measured ${text(measured.depth)}${scene.facts.scale ? " m" : ""}`);
  facts.push(`x ${pixel % size.width}, y ${Math.floor(pixel / size.width)}`);
  $("readout-detail").textContent = facts.join(" · ");
}

export function showScores(scene) {
  const {scores} = scene;
  $("scores").textContent = scores ?
      `${scores.points} other measured depths: AbsRel ${scores.abs_rel.toFixed(4)}, within 90 %: ${
          (100 * (scores.coverage_90 ?? NaN)).toFixed(0)} %` :
      "";
}

export function showPoints(scene) {
  const {width} = scene.size;
  const unit = scene.facts.scale ? "m" : "";
  const on = scene.measured.filter((point) => point.on).length;
  $("measured-count").textContent = scene.known.size ? `· ${scene.known.size} known` : "";
  $("scan-row").hidden = !scene.measured.length;
  $("scan-count").textContent = `${on} of ${scene.measured.length} on`;
  const rows = scene.points.map((point) => {
    const row = document.createElement("tr");
    row.classList.toggle("chosen", point === scene.chosen);
    row.classList.toggle("outlier", point.on && isOutlier(scene, point.pixel));
    row.classList.toggle("off", !point.on);
    const use = Object.assign(
        document.createElement("input"), {type: "checkbox", checked: point.on, title: "in use"});
    use.addEventListener("change", () => {
      point.on = use.checked;
      scene.know();
    });
    const depth = Object.assign(document.createElement("input"), {
      type: "number",
      step: "any",
      value: Number(point.depth.toPrecision(4)),
      title: `depth ${unit}`,
    });
    depth.dataset.shown = depth.value;
    depth.addEventListener("change", () => {
      if (!(depth.valueAsNumber > 0)) return showPoints(scene);
      point.depth = scene.possible(depth.valueAsNumber);
      scene.know();
    });
    const distance = scene.distances?.get(point.pixel);
    const off = point.on && Number.isFinite(distance) ? `${distance.toFixed(1)} σ` : "";
    row.append(
        cell(use), cell(`${point.pixel % width}, ${Math.floor(point.pixel / width)}`),
        cell(off, "number"), cell(depth), cell(unit), cell(button("×", "take it away", () => {
          scene.points = scene.points.filter((other) => other !== point);
          scene.know();
        })));
    row.addEventListener("pointerdown", () => {
      scene.chosen = point;
      scene.tell("marks");
    });
    return row;
  });
  replaceRows($("points").tBodies[0], rows);
}

// What is being typed stays.
function replaceRows(body, rows) {
  const active = document.activeElement;
  const row = [...body.rows].findIndex((other) => other.contains(active));
  const typed = active.value !== active.dataset.shown ? active.value : null;
  body.replaceChildren(...rows);
  const input =
      row >= 0 && active.type === "number" ? rows[row]?.querySelector("input[type=number]") : null;
  if (!input) return;
  input.focus();
  if (typed !== null) input.value = typed;
}

export function focusChosen(scene) {
  const row = $("points").tBodies[0].rows[scene.points.indexOf(scene.chosen)];
  row?.querySelector("input[type=number]").select();
  row?.scrollIntoView({block: "nearest"});
}

const root = (square) => Math.sqrt(Math.max(0, square));

export function showRegions(scene) {
  const {results} = scene;
  const count = results ? Math.min(scene.regions.length, results.mean.length) : 0;
  const letter = (i) => String.fromCharCode(65 + i);
  const isDepth = scene.quantity === "depth";
  const unit = isDepth ? (scene.facts.scale ? " m" : "") : " logit";
  const mean = isDepth ? results?.depth_mean : results?.mean;
  const covariance = isDepth ? results?.depth_covariance : results?.covariance;
  const at = (i, j) => covariance[i * results.mean.length + j];
  const rows = [];
  const add = (name, value, std, region) => {
    const row = document.createElement("tr");
    row.append(
        cell(name), cell(`${text(value)}${unit}`, "number"),
        cell(`± ${text(std)}${unit}`, "number"));
    row.append(cell(region ? button("×", "take it away", () => {
      scene.regions = scene.regions.filter((other) => other !== region);
      scene.measureRegions();
      scene.tell("marks");
    }) : ""));
    rows.push(row);
  };
  for (let i = 0; i < count; ++i) add(letter(i), mean[i], root(at(i, i)), scene.regions[i]);
  for (let i = 0; i < count; ++i) {
    for (let j = i + 1; j < count && count <= 4; ++j) {
      add(`${letter(i)} − ${letter(j)}`, mean[i] - mean[j],
          root(at(i, i) + at(j, j) - 2 * at(i, j)));
    }
  }
  $("regions").tBodies[0].replaceChildren(...rows);
  $("regions-hint").textContent = count ?
      `of the ${isDepth ? "depth at the mean logit" : "mean logit"}; ± is one std, exact` :
      "drag a rectangle with the region tool";
}

export function showSample(scene) {
  $("sample").value = scene.position;
  $("sample-number").textContent = scene.position.toFixed(1);
}
