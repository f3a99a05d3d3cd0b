import { isoSeconds } from "../../kernel/text/time.ts";

/** A duration for a person: `42s`, `4m12s`, `3h05m`, `2d04h`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (value: number) => String(value).padStart(2, "0");
  if (whole < 60) return `${whole}s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3_600)}h${two(Math.floor(whole / 60) % 60)}m`;
  return `${Math.floor(whole / 86_400)}d${two(Math.floor(whole / 3_600) % 24)}h`;
}

/** A size for a person: `812`, `1.2K`, `3.4M`. */
export function size(bytes: number): string {
  let value = bytes;
  for (const unit of ["", "K", "M", "G"]) {
    if (value < 1_000) return unit === "" ? String(value) : `${value.toFixed(1)}${unit}`;
    value /= 1_024;
  }
  return `${value.toFixed(1)}T`;
}

/** A file's time can be set to anything; one that four digits of a year do not hold is not known. */
export function timeText(milliseconds: number | undefined): string | null {
  if (milliseconds === undefined || !(milliseconds >= YEAR_0_MS && milliseconds < YEAR_10000_MS)) return null;
  return isoSeconds(milliseconds);
}

const YEAR_0_MS = -62_167_219_200_000;
const YEAR_10000_MS = 253_402_300_800_000;
