// Taken before the page can replace them: a page's fake timers must not stop the overlay.
export const later = window.setTimeout.bind(window) as (act: () => void, ms: number) => number;
export const cancel = window.clearTimeout.bind(window) as (timer: number | undefined) => void;
export const nextFrame = window.requestAnimationFrame.bind(window);

/** Milliseconds on the page's own clock. */
export const now = performance.now.bind(performance);
