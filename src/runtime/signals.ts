/** Let the end of the terminal's session pass by: the process has a result to deliver and ends by itself soon. */
export function ignoreHangUp(): void {
  if (process.platform !== "win32") process.on("SIGHUP", () => {});
}
