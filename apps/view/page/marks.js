// What lies over a map: points, regions, the pixel whose correlation is shown, the pointer.

import {channel, place} from "./colours.js";

const kWrong = "#ff4fd8";
const kMostShown = 300;

function logitOf(scene, depth) {
  const {min_disparity: low, max_disparity: high, scale} = scene.facts;
  const disparity = (scale ?? 1) / depth;
  return Math.log((disparity - low) / (high - disparity));
}

const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;

function colourOf(scene, bars, depth) {
  if (!bars.values) return "#fff";
  return css(channel(bars.values.map, place(bars.values, scene.value(logitOf(scene, depth)))));
}

export function isOutlier(scene, pixel) {
  return (scene.distances?.get(pixel) ?? 0) > scene.facts.outlier;
}

// A number below 2³² that looks random, the same for the same i.
function scrambled(i) {
  const mixed = Math.imul(i ^ (i >>> 7) ^ 0x5bd1e995, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
}

// Measured depths that a click may take; of a dense map not all, which would hide what is below.
export function shownMeasured(scene) {
  if (scene.tool !== "measure" || !scene.showMeasured) return [];
  const share = 2 ** 32 * kMostShown / scene.measured.length;
  return scene.measured.filter((point, i) => scrambled(i) < share && !point.on);
}

export function drawMarks(canvas, scene, scale, bars) {
  const context = canvas.getContext("2d");
  const {width} = scene.size;
  const ratio = window.devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  const at = (pixel) => [(pixel % width + 0.5) * scale, (Math.floor(pixel / width) + 0.5) * scale];
  const disc = (pixel, radius, fill, edge, line = 1.5) => {
    context.beginPath();
    context.arc(...at(pixel), radius, 0, 2 * Math.PI);
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (edge) {
      context.strokeStyle = edge;
      context.lineWidth = line;
      context.stroke();
    }
  };
  for (const {pixel, depth} of shownMeasured(scene))
    disc(pixel, 2.2, colourOf(scene, bars, depth), "#000a", 1);
  scene.regions.forEach((region, i) => {
    context.strokeStyle = "#000b";
    context.lineWidth = 3.5;
    context.strokeRect(
        region.x * scale, region.y * scale, region.width * scale, region.height * scale);
    context.strokeStyle = region === scene.chosen ? "#f6a821" : "#fff";
    context.lineWidth = 1.5;
    context.strokeRect(
        region.x * scale, region.y * scale, region.width * scale, region.height * scale);
    context.font = "600 12px system-ui, sans-serif";
    context.fillStyle = "#fff";
    context.strokeStyle = "#000c";
    context.lineWidth = 3;
    context.strokeText(String.fromCharCode(65 + i), region.x * scale + 4, region.y * scale + 13);
    context.fillText(String.fromCharCode(65 + i), region.x * scale + 4, region.y * scale + 13);
  });
  for (const {pixel, depth} of scene.measured.filter((point) => point.on)) {
    disc(pixel, 4, colourOf(scene, bars, depth), isOutlier(scene, pixel) ? kWrong : "#fff");
  }
  for (const point of scene.points) {
    const edge = isOutlier(scene, point.pixel) ? kWrong : "#fff";
    disc(point.pixel, 7, null, "#000a", 3.5);
    disc(
        point.pixel, 6, point.on ? colourOf(scene, bars, point.depth) : null, edge,
        point === scene.chosen ? 3 : 1.7);
  }
  context.font = "600 11px system-ui, sans-serif";
  scene.proposals.forEach((pixel, i) => {
    disc(pixel, 8, "#f6a821", "#000", 1);
    context.fillStyle = "#000";
    const [x, y] = at(pixel);
    context.fillText(String(i + 1), x - 3, y + 4);
  });
  if (scene.pixel !== null && scene.tool === "correlation") {
    disc(scene.pixel, 6, null, "#fff", 3.5);
    disc(scene.pixel, 6, null, "#000", 1.5);
  }
  if (scene.pointer !== null && scene.pointer !== undefined) {
    const [x, y] = at(scene.pointer);
    context.strokeStyle = "#fffb";
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x - 11, y);
    context.lineTo(x - 4, y);
    context.moveTo(x + 4, y);
    context.lineTo(x + 11, y);
    context.moveTo(x, y - 11);
    context.lineTo(x, y - 4);
    context.moveTo(x, y + 4);
    context.lineTo(x, y + 11);
    context.stroke();
  }
}
