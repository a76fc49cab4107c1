// The page: what the server wrote is there at once; what is known by now takes its place.

function start() {
  const view = readAddress();
  let mayReorder = true;

  function* drawParts() {
    if (store.shapes.size > 0 || shapesPart.list) {
      if (!shapesPart.list) {
        buildFindings(view, change);
        listenToKeys(view, change);
      }
      const result = drawFindings(view, mayReorder);
      mayReorder = false;
      yield;
      drawSummary(result.counts);
      yield;
    }
    drawCollections(view, change);
    yield;
    drawWrong();
    drawRules();
    drawState();
    const bad = document.querySelectorAll("#wrong > div > .conditions > li").length;
    document.title = (bad ? `(${bad}) ` : "") + "scattergate: what is wrong right now";
  }

  function draw() {
    paint("parts", drawParts());
  }

  // Several answers that come at once are drawn once.
  let isDue = false;
  function redraw() {
    if (isDue) return;
    isDue = true;
    setTimeout(() => { isDue = false; draw(); }, 50);
  }

  function change(what, isStep = false) {
    Object.assign(view, what);
    shapesPart.linked = view.shape;
    writeAddress(view, isStep);
    mayReorder = true;
    draw();
    if (shapesPart.sinceOf !== view.since) buildSince(view, change);
  }

  addEventListener("popstate", () => {
    Object.assign(view, readAddress());
    shapesPart.open = "";
    if (shapesPart.list) {
      shapesPart.filter.value = view.q;
      shapesPart.sort.value = view.sort;
      buildSince(view, change);
    }
    mayReorder = true;
    draw();
  });

  // A link within the page changes what is looked at, and loads nothing.
  document.addEventListener("click", event => {
    const link = event.target.closest?.("a[href^='?']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !shapesPart.list) return;
    event.preventDefault();
    history.pushState(null, "", link.getAttribute("href"));
    dispatchEvent(new PopStateEvent("popstate"));
    document.querySelector("#findings").scrollIntoView();
  });

  keepInContact(redraw);
}

start();
