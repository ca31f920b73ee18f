// Draw each figure.chart with uPlot, in the page's colours; the table beneath it stays as it is.
"use strict";
(() => {
  if (typeof uPlot === "undefined") return;
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4], [1, 4]];
  const drawn = new Map();

  const shown = (value, unit) => {
    if (value == null) return "–";
    if (unit === "share") return (100 * value).toFixed(1) + "%";
    if (unit === "usd") return "$" + value.toFixed(2);
    return value.toLocaleString("en", { maximumSignificantDigits: 4 });
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const options = (data, width, height) => {
    const ink = css("--soft"), line = css("--line");
    const series = [{ label: data.xLabel, value: (_, v) => (v == null ? "–" : v.toLocaleString("en")) }];
    const columns = [data.xs];
    const bands = [];
    data.series.forEach((each, place) => {
      const colour = each.baseline ? css("--none") : css("--c" + (place % 7));
      const paths = data.step ? uPlot.paths.stepped({ align: 1 }) : undefined;
      columns.push(each.values);
      series.push({
        label: each.name, stroke: colour, width: each.baseline ? 1 : 2, paths,
        dash: each.baseline ? [3, 3] : dashes[place % 7], points: { show: data.xs.length < 2 },
        value: (_, v) => shown(v, data.unit), spanGaps: true,
      });
      if (each.low.length) {
        for (const edge of [each.high, each.low]) {
          columns.push(edge);
          series.push({ label: "", stroke: "transparent", width: 0, paths, points: { show: false }, spanGaps: true });
        }
        bands.push({ series: [columns.length - 2, columns.length - 1], fill: colour + "22" });
      }
    });
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px " + css("--sans") };
    return [{
      width, height, series, bands,
      scales: { x: { time: false, distr: data.log ? 3 : 1 }, y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1] } },
      axes: [
        { ...axis, label: data.xLabel, labelFont: "12px " + css("--sans"), labelSize: 22 },
        { ...axis, size: 56, values: (_, ticks) => ticks.map((v) => shown(v, data.unit).replace(".0%", "%")) },
      ],
      legend: { live: true, markers: { width: 3 } },
      cursor: { drag: { x: true, y: false } },
      hooks: { draw: [(plot) => marks(plot, data.marks, ink)] },
    }, columns];
  };

  const marks = (plot, places, colour) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = colour;
    ctx.beginPath();
    for (const place of places) {
      const x = Math.round(plot.valToPos(place, "x", true));
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x, bbox.top + bbox.height - 8 * devicePixelRatio);
    }
    ctx.stroke();
    ctx.restore();
  };

  const draw = (figure) => {
    const box = figure.querySelector(".plot");
    const source = figure.querySelector("script").textContent;
    const width = box.clientWidth;
    if (!width) return;
    drawn.get(figure)?.destroy();
    const [made, columns] = options(JSON.parse(source), width, width < 500 ? 220 : 300);
    drawn.set(figure, new uPlot(made, columns, box));
    // Edges of bands have no line of their own in the legend.
    box.querySelectorAll(".u-series").forEach((row) => {
      if (!row.querySelector(".u-label")?.textContent) row.hidden = true;
    });
  };

  const drawAll = (inside = document) => inside.querySelectorAll("figure.chart").forEach(draw);
  const again = () => drawAll();
  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(again, 120); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  document.addEventListener("ddr:changed", (event) => drawAll(event.target));
  drawAll();
})();
