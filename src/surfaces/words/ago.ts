/** Times as people say them. */
import { span, wallMsOf } from "../../core/time.ts";

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
