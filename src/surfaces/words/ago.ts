/** Times as people say them. */
import { wallMsOf } from "../../core/time.ts";

/** `now`, `12s`, `5m`, `3h`, `2d` before or after the given wall time. */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

export function ago(iso: string, nowMs: number): string {
  const ms = nowMs - wallMsOf(iso);
  return ms < 1000 ? "now" : `${span(ms)} ago`;
}

/** Of a machine that is silent. */
export function notHeardText(silentMs: number): string {
  return `not heard of for ${span(silentMs)}`;
}

export function until(iso: string, nowMs: number): string {
  const ms = wallMsOf(iso) - nowMs;
  return ms <= 0 ? "now" : `in ${span(ms)}`;
}
