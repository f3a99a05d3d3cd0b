import { FRAME_NAMES, type FrameName } from "../../kernel/shared/annotate-wire.ts";
import * as page from "../page/page.ts";

export const isFrameName = (name: unknown): name is FrameName =>
  (FRAME_NAMES as readonly unknown[]).includes(name);

// Taken at start: a page may replace the global later.
const Source = window.EventSource;

export interface Stream {
  close(): void;
}

/**
 * One event stream. `failed(true)` means the server refused it; the browser then gives no status code.
 * Any other failure closes it too: the overlay's own retries are quicker than the browser's.
 */
export function openStream(
  url: string,
  heard: (name: FrameName, data: string) => void,
  failed: (refused: boolean) => void,
): Stream {
  const source = new Source(url);
  let open = true;
  const close = () => {
    open = false;
    source.close();
  };
  for (const name of FRAME_NAMES)
    page.addListener(
      source,
      name,
      (event) => {
        if (open) heard(name, String((event as MessageEvent).data));
      },
      false,
    );
  page.addListener(
    source,
    "error",
    () => {
      if (!open) return;
      const refused = source.readyState === Source.CLOSED;
      close();
      failed(refused);
    },
    false,
  );
  return { close };
}
