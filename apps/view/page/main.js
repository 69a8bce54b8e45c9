// The page: panels on the left, tools and numbers on the right.

import {commands, npy, picture, pointsCsv, save} from "./download.js";
import {Bars, kindsOf, Panel} from "./panels.js";
import {hints, Tools} from "./pointer.js";
import {Scene} from "./scene.js";
import {activity} from "./server.js";
import {focusChosen, showPointer, showPoints, showRegions, showSample, showScores} from "./sidebar.js";

const $ = (id) => document.getElementById(id);
const scene = new Scene();
const bars = new Bars(scene);
const tools = new Tools(scene);
const panels = Array.from({length: 6}, (_, i) => new Panel(i, scene, bars));
const current = () => (scene.pointed && !scene.pointed.isCloud ? scene.pointed : panels[1]);

$("panels").append(...panels.map((panel) => panel.element));
panels.forEach((panel) => tools.listen(panel));

// --- drawing: what changed is drawn with the next frame, once

const stale = new Set();
function redraw(...which) {
  if (!stale.size) requestAnimationFrame(drawStale);
  which.forEach((panel) => stale.add(panel));
}
function drawStale() {
  if (bars.update()) panels.forEach((panel) => stale.add(panel));
  for (const panel of stale) panel.draw();
  stale.clear();
  showPointer(scene);
}
let areMarksStale = false;
function redrawMarks() {
  if (areMarksStale) return;
  areMarksStale = true;
  requestAnimationFrame(() => {
    areMarksStale = false;
    for (const panel of panels) panel.drawMarks();
    showPointer(scene);
  });
}
const showing = (kinds) => panels.filter((panel) => kinds.test(panel.kind));

const changes = {
  image() {
    const {facts} = scene;
    bars.reset();
    Object.assign(scene, {pointer: null, chosen: null, distances: new Map(), scores: null});
    document.title = `${facts.name} · supn_view`;
    $("images").replaceChildren(...facts.images.map((name, i) => new Option(name, i)));
    $("images").value = facts.index;
    for (const panel of panels) panel.setKinds(kindsOf(scene));
    for (const panel of panels) panel.layout();
    redraw(...panels);
    changes.quantity();
  },
  field() {
    redraw(...showing(/mean|std|error|cloud|image/));
    showPoints(scene);
    showScores(scene);
  },
  sample() {
    redraw(...showing(/sample/), ...(scene.cloudOf === "sample" ? showing(/cloud/) : []));
    showSample(scene);
  },
  correlation() { redraw(...showing(/correlation/)); },
  points() {
    showPoints(scene);
    changes.marks();
  },
  chosen() { focusChosen(scene); },
  regions() {
    showRegions(scene);
    changes.marks();
  },
  marks: redrawMarks,
  pointer: redrawMarks,
  quantity() {
    bars.reset();
    check("quantities", "quantity", scene.quantity);
    showRegions(scene);
    redraw(...showing(/member|sample/));
  },
  tool() {
    check("tools", "tool", scene.tool);
    $("tool-hint").textContent = hints[scene.tool];
    changes.marks();
  },
};
scene.addEventListener("change", ({detail}) => scene.size && changes[detail]());

let hiding = 0;
scene.addEventListener("fault", ({detail}) => {
  $("message").textContent = detail;
  $("message").hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    $("message").hidden = true;
  }, 8000);
});

function check(group, key, value) {
  for (const button of $(group).children) {
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", button.dataset[key] === value);
  }
}

// --- controls

function openBeside(step) {
  const count = scene.facts.images.length;
  scene.open((scene.facts.index + step + count) % count);
}

function setPosition(position) {
  scene.position = Math.max(0, Math.min(16, position));
  scene.showSample();
}

let walking = false;
function walk() {
  walking = !walking;
  $("play").textContent = walking ? "❚❚" : "▶";
  let last = performance.now();
  const step = async (now) => {
    if (!walking) return;
    scene.position = (scene.position + (now - last) / 1600) % 16;
    last = now;
    await scene.showSample();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function takeAway() {
  scene.points = scene.points.filter((point) => point !== scene.chosen);
  scene.regions = scene.regions.filter((region) => region !== scene.chosen);
  scene.chosen = null;
  scene.know();
}

function setBlend(share) {
  scene.blend = share;
  $("blend").value = share;
  redraw(...panels.filter((panel) => !panel.isCloud));
}

function useSome(count) {
  const off = scene.measured.filter((point) => !point.on);
  for (let i = 0; i < count && off.length; ++i) {
    off.splice(Math.floor(Math.random() * off.length), 1)[0].on = true;
  }
  scene.know();
}

const on = (id, event, action) => $(id).addEventListener(event, action);
for (const button of $("quantities").children)
  button.addEventListener("click", () => scene.setQuantity(button.dataset.quantity));
for (const button of $("tools").children)
  button.addEventListener("click", () => tools.set(button.dataset.tool));
on("images", "change", () => scene.open(Number($("images").value)));
on("previous", "click", () => openBeside(-1));
on("following", "click", () => openBeside(1));
on("blend", "input", () => setBlend($("blend").valueAsNumber));
on("sample", "input", () => setPosition($("sample").valueAsNumber));
on("play", "click", walk);
on("noise", "change", () => {
  scene.noise = Math.max(0, $("noise").valueAsNumber || 0) / 100;
  scene.know();
});
on("next", "click", () => scene.propose());
on("load", "click", () => $("file").click());
on("file", "change", () => {
  if ($("file").files[0]) scene.load($("file").files[0]);
  $("file").value = "";
});
on("scan-some", "click", () => useSome(10));
on("scan-none", "click", () => {
  for (const point of scene.measured) point.on = false;
  scene.know();
});
on("scan-show", "change", () => {
  scene.showMeasured = $("scan-show").checked;
  changes.marks();
});
on("save-png", "click", () => picture(panels, scene.facts.name));
on("save-npy", "click", () => {
  const panel = current();
  if (panel.content?.values)
    save(
        `${scene.facts.name}_${panel.kind.replace(" ", "_")}.npy`,
        npy(panel.content.values, scene.size), "application/octet-stream");
});
on("save-csv", "click", () => save("points.csv", pointsCsv(scene), "text/csv"));
on("save-command", "click", () => {
  $("commands").value = commands(scene);
  $("command").showModal();
});
on("copy", "click", () => navigator.clipboard.writeText($("commands").value));
on("help-button", "click", () => $("help").showModal());
document.addEventListener("choose", () => {  // a click on the point cloud
  if (scene.cloudOf === "sample")
    Object.assign(
        scene, {cloudOf: "mean", cloudColours: scene.cloudColours === "std" ? "image" : "std"});
  else
    scene.cloudOf = "sample";
  redraw(...showing(/cloud/));
});

const keys = {
  c: () => tools.set("correlation"),
  m: () => tools.set("measure"),
  r: () => tools.set("region"),
  d: () => scene.setQuantity("depth"),
  p: () => scene.setQuantity("disparity"),
  l: () => scene.setQuantity("logit"),
  n: () => scene.propose(),
  b: () => setBlend(scene.blend ? 0 : 0.5),
  " ": walk,
  "?": () => $("help").showModal(),
  ArrowLeft: () => setPosition(Math.ceil(scene.position) - 1),
  ArrowRight: () => setPosition(Math.floor(scene.position) + 1),
  Delete: takeAway,
  PageUp: () => openBeside(-1),
  PageDown: () => openBeside(1),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey ||
      /INPUT|SELECT|TEXTAREA/.test(event.target.tagName) || document.querySelector("dialog[open]"))
    return;
  if (/^[1-6]$/.test(event.key)) {
    panels[Number(event.key) - 1].enlarge();
    panels.forEach((panel) => {
      panel.layout();
      panel.draw();
    });
    return;
  }
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!action || !scene.facts) return;
  event.preventDefault();
  if (event.target.tagName === "BUTTON") event.target.blur();
  action();
});
new ResizeObserver(() => {
  for (const panel of panels) {
    panel.layout();
    panel.draw();
  }
}).observe($("panels"));

// What takes longer than a blink is named.
setInterval(async () => {
  if (document.hidden) return;
  const {kind, seconds} =
      await activity().catch(() => ({kind: "the program does not answer", seconds: 0}));
  $("activity").textContent =
      kind && (seconds > 0.2 || /program/.test(kind)) ? `${kind} … ${seconds.toFixed(1)} s` : "";
}, 500);

try {
  // The session is the page's that opened an image last.
  await scene.open(0);
  tools.set("correlation");
  redraw(...panels);
  changes.marks();
  document.body.dataset.ready = "yes";
} catch (error) {
  scene.fail(error);
}

window.supn = scene;  // for the browser's console
