/** What stands in the way of a reload the agent's edit asks for (15.10 step 1). */
export interface Occupied {
  saving: boolean;
  composing: boolean;
  dragging: boolean;
}

/** `wait`: go when the save is through. `ask`: show the chip, the person decides. */
export function decideReload(state: Occupied): "now" | "wait" | "ask" {
  if (state.composing || state.dragging) return "ask";
  return state.saving ? "wait" : "now";
}

/** Where a reload leads (15.10 step 2), and whether changing the address would load anything. */
export function reloadTarget(
  requestedPath: string,
  page: string,
  address: { pathname: string; search: string; hash: string },
): { path: string; same: boolean } {
  // On the not-found page `data-ce-page` is "/" though another path was asked for; that path is tried again.
  const pathname = requestedPath === "/" || page === "/" ? requestedPath : page;
  return {
    path: `${pathname}${address.search}${address.hash}`,
    same: pathname === address.pathname,
  };
}
