// What the page shows, in its address: a link shows the same thing.

/** Of the parts of a page: time, curves, and how the mechanism is looked at. */
export function readState({ clock, stage, plots }) {
  const state = { t: Number(clock.t.toPrecision(9)), plots: plots.plots.map(({ names, log, over, right }) => ({ names, ...(log && { log }), ...(over && { over }), ...(right.length && { right }) })) };
  if (!stage?.view) return state;
  const { hidden, faint, ...switches } = stage.options;
  return { ...state, view: stage.view.state(), switches, hidden: [...hidden], faint: [...faint], traces: stage.traces.map(({ name }) => name), follow: stage.view.follow?.name, chosen: stage.chosen?.name };
}

export function applyState({ clock, stage, plots }, state) {
  if (Array.isArray(state.plots)) plots.replace(state.plots);
  if (stage?.view) stage.restore(state);
  if (Number.isFinite(state.t)) clock.seek(state.t);
}

/** From the address, and from then on into it. */
export function keepState(parts) {
  const start = decodeURIComponent(location.hash.slice(1));
  if (start.startsWith('{')) {
    try {
      applyState(parts, JSON.parse(start));
    } catch {
      // an address may have been cut short: the page shows what it always shows
    }
  }
  let last = JSON.stringify(readState(parts));
  setInterval(() => {
    if (parts.clock.playing) return;
    const now = JSON.stringify(readState(parts));
    if (now === last) return;
    last = now;
    history.replaceState(null, '', `#${encodeURIComponent(now)}`);
  }, 400);
}
