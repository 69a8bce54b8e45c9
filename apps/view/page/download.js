// What is seen, as files, and the commands that give the same.

import {place, short, ticks} from "./colours.js";

export function save(name, content, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// NumPy's format, version 1: float32 [height, width].
export function npy(values, {width, height}) {
  const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${height}, ${width}), }`;
  const length = Math.ceil((10 + head.length + 1) / 64) * 64 - 10;
  const bytes = new Uint8Array(10 + length + 4 * values.length);
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, length & 255, length >> 8]);
  bytes.set(new TextEncoder().encode(head.padEnd(length - 1) + "\n"), 10);
  bytes.set(new Uint8Array(Float32Array.from(values).buffer), 10 + length);
  return bytes;
}

// For --known of supn_condition: pixels of the image.
export function pointsCsv(scene) {
  const {image_width, image_height} = scene.facts;
  const lines = [`# x and y count pixels from 0, of ${image_width}x${image_height}`, "x,y,depth_m"];
  for (const [pixel, depth] of scene.known) {
    const {x, y} = scene.imagePlace(pixel);
    lines.push(`${x},${y},${Number(depth.toPrecision(9))}`);
  }
  return lines.join("\n") + "\n";
}

export function commands(scene) {
  const {facts, size, pixel} = scene;
  const scale = facts.scale ?? 1;
  const lines = [];
  const common = `${facts.command} --seed ${facts.seed}`;
  if (scene.known.size) {
    const noise = scene.noise > 0 ? ` --noise-relative ${scene.noise}` : "";
    lines.push(
        "# mean, std and samples given the points (CSV)",
        `supn_condition ${common} --known points.csv${noise} --scale fixed:${scale} --quantity ${
            scene.quantity} --out conditioned`);
  } else {
    const units = scene.quantity === "depth" ? ` --scale ${facts.scale ?? "none"}` : "";
    lines.push(
        "# mean and samples; its std is that of samples",
        `supn_sample ${common} --quantity ${scene.quantity}${units} --out samples`);
  }
  const {x, y} = scene.imagePlace(pixel);
  const regions = scene.regions.map((region) => {
    const near = scene.imagePlace(region.y * size.width + region.x);
    const far =
        scene.imagePlace((region.y + region.height - 1) * size.width + region.x + region.width - 1);
    return ` --region ${near.x},${near.y},${far.x - near.x + 1},${far.y - near.y + 1}`;
  });
  const metres = facts.scale ? ` --scale ${facts.scale}` : "";
  lines.push(
      `# correlations and regions${scene.known.size ? ", without the points" : ""}`,
      `supn_covariance ${facts.command} --pixel ${x},${y}${regions.join("")} --marginals${
          metres} --out covariance`);
  return lines.join("\n");
}

// The visible panels, two in a row, with their titles and bars.
export function picture(panels, name) {
  const shown = panels.filter((panel) => panel.element.offsetParent);
  const width = 960, top = 28, below = 34, gap = 12;
  const {size} = shown[0].scene;
  const height = Math.round(width * size.height / size.width);
  const columns = shown.length > 1 ? 2 : 1;
  const canvas = document.createElement("canvas");
  canvas.width = columns * (width + gap) + gap;
  canvas.height = Math.ceil(shown.length / columns) * (height + top + below) + gap;
  const context = canvas.getContext("2d");
  context.fillStyle = "#14161c";
  context.fillRect(0, 0, canvas.width, canvas.height);
  shown.forEach((panel, i) => {
    const x = gap + i % columns * (width + gap),
          y = Math.floor(i / columns) * (height + top + below);
    context.font = "600 15px system-ui, sans-serif";
    context.fillStyle = "#e4e6ec";
    context.fillText(`${panel.kind}  ${panel.note.textContent}`, x, y + 20);
    if (panel.isCloud) return fitted(context, panel.cloud.canvas, {x, y: y + top, width, height});
    context.drawImage(panel.map, x, y + top, width, height);
    context.drawImage(panel.marks, x, y + top, width, height);
    const bar = panel.content?.bar;
    if (!bar) return;
    context.drawImage(panel.bar.firstElementChild, x, y + top + height + 4, width, 8);
    context.font = "12px system-ui, sans-serif";
    context.textAlign = "center";
    for (const value of ticks(bar))
      context.fillText(short(value), x + width * place(bar, value), y + top + height + 26);
    context.textAlign = "left";
  });
  canvas.toBlob((blob) => save(`${name}.png`, blob));
}

function fitted(context, canvas, box) {
  const scale = Math.min(box.width / canvas.width, box.height / canvas.height);
  context.drawImage(
      canvas, box.x + (box.width - canvas.width * scale) / 2, box.y, canvas.width * scale,
      canvas.height * scale);
}
