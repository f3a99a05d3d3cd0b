/**
 * Settles once no service worker stands between this page and the server (15.1). Whatever else was served at this address
 * before may have left one; it sees and can answer every request, so it is unregistered, and a page it already
 * controls is loaded anew. Never settles while one stays, also `again`, after that.
 */
export async function withoutWorkers(again: boolean, reload: () => void): Promise<void> {
  try {
    const workers = navigator.serviceWorker;
    for (const registration of await workers.getRegistrations()) await registration.unregister();
    if (workers.controller === null) return;
  } catch {
    // Plain http, or storage that is blocked: there are none.
    return;
  }
  if (!again) reload();
  await new Promise(() => {});
}
