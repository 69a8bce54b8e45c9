"""supn_view in a browser without a window: view_page_test.py BIN SHOTS

Screenshots go to the folder SHOTS. Exit code 77, with the reason, where there is no Chromium with its
driver (Debian: chromium, chromium-driver).
"""
import math
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import webdriver
from view_page_files import HEIGHT, WIDTH, read_npy, write_gaussian


def close(name, found, expected, tolerance):
    assert abs(found - expected) <= tolerance, f"{name}: {found}, expected {expected} ± {tolerance}"


class Page(webdriver.Driver):
    def place(self, panel, x, y):
        """The window's place of pixel x, y of the panel's map."""
        box = self.run("const b = document.querySelectorAll('canvas.marks')[arguments[0]].getBoundingClientRect();"
                       "return [b.left, b.top, b.width, b.height]", panel)
        return box[0] + (x + 0.5) * box[2] / WIDTH, box[1] + (y + 0.5) * box[3] / HEIGHT

    def value(self, name, x, y):
        return self.run("return supn.maps[arguments[0]][arguments[1]]", name, y * WIDTH + x)

    def settle(self):
        """Until nothing is asked for any more and what came is drawn."""
        self.run("window.settled = 0")
        self.wait("(window.settled = supn.idle ? window.settled + 1 : 0) > 2")
        self.run("return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def colours(self, panel):
        """How many colours the panel's map has."""
        return self.run("""
            const map = document.querySelectorAll('canvas.map')[arguments[0]];
            const {data} = map.getContext('2d').getImageData(0, 0, map.width, map.height);
            return new Set(new Uint32Array(data.buffer)).size""", panel)


def test_loads(page):
    assert page.run("return document.querySelectorAll('.panel').length") == 6
    assert page.run("return document.title") == "road · supn_view"
    for panel in (1, 2, 3, 4):
        assert page.colours(panel) > 20, f"panel {panel} shows {page.colours(panel)} colours"
    close("std", page.value("logitStd", 30, 20), 0.15, 0.01)
    assert page.run("return document.querySelector('.cloud').width") > 100


def test_pointer_reads(page):
    page.drag(page.place(1, 40, 50))
    page.settle()
    text = page.run("return document.getElementById('readout').textContent")
    mean = page.value("mean", 40, 50)
    depth = 5.4 / (0.01 + 9.99 / (1 + math.exp(-mean)))
    close("depth under the pointer", float(text.split()[0]), depth, 0.06)
    assert text.endswith(" m") and "90 %" in page.run("return document.getElementById('readout-detail').textContent")


def test_click_correlates(page):
    page.keys("c")
    page.drag(page.place(1, 20, 30), page.place(1, 30, 32), page.place(1, 50, 40))
    page.settle()
    assert page.run("return supn.pixel") == 40 * WIDTH + 50
    close("own correlation", page.value("correlation", 50, 40), 1.0, 0.0)
    close("the neighbour's", page.value("correlation", 51, 40), 0.9, 0.02)
    assert page.value("correlation", 5, 5) < 0.1


def test_measurement_drags(page):
    before = page.value("mean", 20, 45)
    std = page.value("logitStd", 20, 45)
    page.keys("m")
    x, y = page.place(1, 20, 45)
    page.drag((x, y), (x, y - 20), (x, y - 40))
    page.settle()
    point = page.run("return supn.points[0]")
    assert point["pixel"] == 45 * WIDTH + 20 and page.run("return supn.points.length") == 1
    assert page.value("mean", 20, 45) < before - 0.05, "farther is a smaller logit"
    assert page.value("mean", 22, 45) < before - 0.03, "neighbours follow"
    assert page.value("logitStd", 20, 45) < 0.5 * std
    assert page.value("logitStd", 80, 10) > 0.14, "far pixels keep their std"
    close("sample at the point", page.value("sample", 20, 45), page.value("mean", 20, 45), 0.1)


def test_typed_depth_and_outlier(page):
    page.drag(page.place(1, 28, 45))
    page.settle()
    page.run("""const input = document.querySelectorAll('#points input[type=number]')[1];
                input.value = 90; input.dispatchEvent(new Event('change'))""")
    page.settle()
    assert page.run("return supn.points[1].depth") == 90
    assert page.run("return document.querySelectorAll('tr.outlier').length") >= 1
    page.run("document.querySelectorAll('#points input[type=checkbox]')[1].click()")
    page.settle()
    assert page.run("return document.querySelectorAll('tr.outlier').length") == 0


def test_next(page):
    page.click("#next")
    proposals = page.wait("supn.proposals.length && supn.proposals")
    assert len(proposals) == 5 and 45 * WIDTH + 20 not in proposals


def test_measured_list(page, folder):
    listed = folder / "listed.csv"
    listed.write_text("x,y,depth_m\n10,30,8\n50,45,6\n90,20,20\n")
    element = page.run("const i = document.getElementById('file'); i.hidden = false; return i")
    page._send("POST", f"{page.session}/element/{element[webdriver.ELEMENT]}/value", {"text": str(listed)})
    page.wait("supn.measured.length === 3")
    page.run("document.getElementById('file').hidden = true")
    page.keys("m")
    x, y = page.run("return [supn.measured[1].pixel % arguments[0], Math.floor(supn.measured[1].pixel / arguments[0])]", WIDTH)
    page.drag(page.place(1, x, y))
    page.settle()
    assert page.run("return supn.measured[1].on && supn.known.size") == 2
    # One of the two others lies where the evaluation looks.
    assert "1 other measured depths: AbsRel" in page.run("return document.getElementById('scores').textContent")


def test_regions(page):
    page.keys("r")
    page.drag(page.place(1, 10, 40), page.place(1, 14, 44), page.place(1, 29, 55))
    page.drag(page.place(1, 60, 40), page.place(1, 64, 44), page.place(1, 79, 55))
    page.settle()
    rows = page.run("return Array.from(document.querySelectorAll('#regions tr'), (row) => row.innerText)")
    assert len(rows) == 3 and rows[2].startswith("A − B"), rows
    assert all(re.search(r"± [\d.]+ m", row) for row in rows), rows


def test_samples(page):
    before = page.value("sample", 70, 20)
    page.keys("\ue014")  # →
    page.settle()
    assert page.run("return supn.position") == 1
    second = page.value("sample", 70, 20)
    assert second != before
    page.run("const s = document.getElementById('sample'); s.value = 0.5; s.dispatchEvent(new Event('input'))")
    page.settle()
    mean = page.value("mean", 70, 20)
    close("half way on the circle", page.value("sample", 70, 20),
          mean + (before - mean + second - mean) * math.sqrt(0.5), 1e-4)
    page.keys(" ")
    page.wait("supn.position > 0.6")
    page.keys(" ")


def test_quantities(page):
    page.keys("l")
    page.settle()
    assert page.run("return supn.unit") == "logit"
    page.keys("d")
    page.settle()
    assert page.run("return supn.unit") == "m"
    for panel in (1, 2, 3):
        assert page.colours(panel) > 20, f"panel {panel} after the quantity's change"


def downloaded(folder, name):
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if (folder / name).exists() and not list(folder.glob("*.crdownload")):
            return folder / name
        time.sleep(0.05)
    raise AssertionError(f"{name} was not downloaded; there are {[file.name for file in folder.iterdir()]}")


def test_downloads(page, folder, binaries):
    """The files are what is seen, and the command gives the same."""
    page.drag(page.place(1, 5, 5))  # the mean's panel is the one that is pointed at
    page.settle()
    for name in ("png", "npy", "csv"):
        page.click(f"#save-{name}")
    mean = read_npy(downloaded(folder, "road_mean.npy"))
    assert downloaded(folder, "road.png").read_bytes().startswith(b"\x89PNG")
    downloaded(folder, "points.csv")
    page.click("#save-command")
    line = next(line for line in page.run("return document.getElementById('commands').value").splitlines()
                if line.startswith("supn_condition"))
    page.click("#command button:not([type])")
    subprocess.run([binaries / "supn_condition", *shlex.split(line)[1:]], cwd=folder, check=True, capture_output=True)
    expected = read_npy(folder / "conditioned" / "road" / "mean.npy")
    worst = max(abs(a - b) / b for a, b in zip(mean, expected, strict=True))
    assert worst < 1e-5, f"the page's mean and supn_condition's differ by {worst}"


def test_refusal_is_shown(page):
    page.run("supn.points.push({pixel: 3, depth: 1e6, on: true}); supn.know()")
    page.wait("!document.getElementById('message').hidden")
    assert "the maps express" in page.run("return document.getElementById('message').textContent")


class Viewer:
    """supn_view in a process of its own; its address within the with block. It ends with 0."""

    def __init__(self, binaries, folder, *arguments):
        self.process = subprocess.Popen([binaries / "supn_view", *arguments, "--no-browser"], cwd=folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        address = self.process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), self.process.stderr.read()
        return address

    def __exit__(self, *_):
        self.process.terminate()
        code = self.process.wait(10)
        assert code == 0, f"supn_view ended with {code}: {self.process.stderr.read()}"


def make_split(binaries, folder):
    """Two test images with ground truth and members' maps, and a network that has learnt nothing."""
    def run(*command):
        subprocess.run([binaries / command[0], *command[1:]], cwd=folder, check=True, capture_output=True)
    run("supn_data", "synth", "--out", "road", "--members", "3", "--size", "96x32", "--train", "1",
        "--val", "1", "--test", "2")
    (folder / "road.yaml").write_text(
        "data: {root: road, samples: road/samples, train_split: road/splits/train_files.txt,\n"
        "  val_split: road/splits/val_files.txt, test_split: road/splits/test_files.txt, height: 32, width: 96}\n"
        "network: {backbone: compact, order: coarse_to_fine}\n"
        "training: {epochs: 1, batch_size: 1, output: run}\n")
    run("supn_train", "--config", "road.yaml", "--device", "cpu", "--threads", "1")


def test_split(page):
    assert page.run("return supn.facts.images.length") == 2
    assert page.run("return supn.facts.members") == 3
    assert page.run("return supn.measured.length") > 500
    assert "other measured depths: AbsRel" in page.run("return document.getElementById('scores').textContent")
    for panel, kind in ((0, "error"), (5, "member 3")):
        page.run("""const select = document.querySelectorAll('.panel select')[arguments[0]];
                    select.value = arguments[1]; select.dispatchEvent(new Event('change'))""", panel, kind)
        assert page.colours(panel) > 1, kind
    before = page.run("return supn.facts.name")
    page.click("#scan-some")
    page.settle()
    assert page.run("return supn.known.size") == 10
    page.keys("\ue00f")  # Page Down
    page.wait(f"supn.facts.name !== '{before}'")
    page.settle()
    assert page.run("return supn.known.size") == 0 and page.run("return supn.facts.index") == 1
    assert page.colours(5) > 1, "member 3 of the next image"
    # A measured pixel without a dot: its depth is taken as well.
    pixel, depth, width, height = page.run("""supn.showMeasured = false;
        return [supn.measured[100].pixel, supn.measured[100].depth, supn.size.width, supn.size.height]""")
    page.keys("m")
    page.drag(page.place(1, (pixel % width + 0.5) / width * WIDTH - 0.5, (pixel // width + 0.5) / height * HEIGHT - 0.5))
    page.settle()
    point = page.run("return supn.points[0]")
    assert point == {"pixel": pixel, "depth": depth, "on": True}, (point, pixel, depth)


def main(binaries, shots):
    if not webdriver.is_there():
        print("skipped: there is no chromium with chromedriver")
        return 77
    shots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_gaussian(folder / "road.safetensors")
        arguments = ("--gaussian", "road.safetensors", "--scale", "5.4")
        with Viewer(binaries, folder, *arguments) as address, Page(folder) as page:
            page.go(address)
            page.wait("document.body.dataset.ready")
            page.settle()
            for test in (test_loads, test_pointer_reads, test_click_correlates, test_measurement_drags,
                         test_typed_depth_and_outlier, test_next, test_regions, test_samples, test_quantities):
                start = time.monotonic()
                test(page)
                page.screenshot(shots / f"{test.__name__}.png")
                print(f"{test.__name__}: passed in {time.monotonic() - start:.1f} s", flush=True)
            test_measured_list(page, folder)
            test_downloads(page, folder, binaries)
            complaints = page.complaints()
            assert not complaints, complaints
            test_refusal_is_shown(page)
        make_split(binaries, folder)
        arguments = ("--checkpoint", "run/last", "--config", "road.yaml", "--scale", "median")
        with Viewer(binaries, folder, *arguments) as address, Page(folder) as page:
            page.go(address)
            page.wait("document.body.dataset.ready")
            page.settle()
            test_split(page)
            page.screenshot(shots / "test_split.png")
            complaints = page.complaints()
            assert not complaints, complaints
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])))
