// Keys for those who like them; every page works without. "/" search, j and k next and previous, r review.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const stops = [...document.querySelectorAll(".questions h2 a, .answer")];
  const here = stops.findIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("find").focus();
  } else if (event.key === "j" || event.key === "k") {
    const next = stops[event.key === "j" ? here + 1 : Math.max(here, 1) - 1];
    if (!next) return;
    if (next.matches("section")) next.tabIndex = -1;
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  } else if (event.key === "r" && here >= 0) {
    const review = stops[here].querySelector('a[href$="/review/"]');
    if (review) review.click();
  }
});
