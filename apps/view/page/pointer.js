// The mouse on a map: what each tool does with it.

import {shownMeasured} from "./marks.js";

const kNear = 9;  // CSS pixels

export const hints = {
  correlation: "click or drag: the pixel's correlation with all others",
  measure:
      "click: a point; drag it up or down: farther or nearer; click a small dot: a measured depth comes in",
  region: "drag a rectangle: the exact std of its mean",
};

function nearest(scene, points, pixel, scale, radius = kNear) {
  const {width} = scene.size;
  const distance = (other) => scale *
      Math.hypot(
          other % width - pixel % width, Math.floor(other / width) - Math.floor(pixel / width));
  let best = null, least = radius;
  for (const point of points) {
    const d = distance(point.pixel);
    if (d <= least) [best, least] = [point, d];
  }
  return best;
}

export class Tools {
  constructor(scene) {
    this.scene = scene;
    scene.tool = "correlation";
  }

  set(tool) {
    this.scene.tool = tool;
    this.scene.tell("tool");
  }

  listen(panel) {
    const {marks} = panel;
    let drag = null;
    marks.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || !this.scene.maps.mean) return;
      marks.setPointerCapture(event.pointerId);
      drag = this[this.scene.tool](panel, panel.pixelAt(event), event);
    });
    marks.addEventListener("pointermove", (event) => {
      this.scene.pointer = panel.pixelAt(event);
      this.scene.pointed = panel;
      drag?.(this.scene.pointer, event);
      this.scene.tell("pointer");
    });
    marks.addEventListener("pointerup", () => {
      drag = null;
    });
    marks.addEventListener("pointerleave", () => {
      this.scene.pointer = null;
      this.scene.tell("pointer");
    });
  }

  // Each gives what dragging does from here on.
  correlation(_panel, pixel) {
    this.scene.correlate(pixel);
    return (to) => to !== this.scene.pixel && this.scene.correlate(to);
  }

  measure(panel, pixel, event) {
    const {scene} = this;
    let point = nearest(scene, scene.points, pixel, panel.scale);
    const used = scene.measured.filter((measured) => measured.on);
    const measured =
        point ? null : nearest(scene, [...shownMeasured(scene), ...used], pixel, panel.scale, 4);
    if (measured) {
      measured.on = !measured.on;
      scene.know();
      return null;
    }
    if (!point) {
      // Where measurements are dense not all are shown as dots.
      const there = scene.measuredAt.get(pixel)?.depth ?? scene.depth(scene.maps.mean[pixel]);
      point = {pixel, depth: there, on: true};
      scene.points.push(point);
    }
    scene.chosen = point;
    scene.know();
    scene.tell("chosen");
    const from = event.clientY, depth = point.depth;
    return (_, moved) => {
      point.depth = scene.possible(depth * Math.exp((from - moved.clientY) / 110));
      scene.know();
    };
  }

  region(_panel, pixel) {
    const {scene} = this;
    const {width} = scene.size;
    const [x0, y0] = [pixel % width, Math.floor(pixel / width)];
    let region = null;
    return (to) => {
      const [x1, y1] = [to % width, Math.floor(to / width)];
      if (!region) {
        if (Math.abs(x1 - x0) < 2 || Math.abs(y1 - y0) < 2) return;
        region = {};
        if (scene.regions.length === 16) scene.regions.shift();
        scene.regions.push(region);
        scene.chosen = region;
      }
      Object.assign(region, {
        x: Math.min(x0, x1),
        y: Math.min(y0, y1),
        width: Math.abs(x1 - x0) + 1,
        height: Math.abs(y1 - y0) + 1,
      });
      scene.tell("marks");
      scene.measureRegions();
    };
  }
}
