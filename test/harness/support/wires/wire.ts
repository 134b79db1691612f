/** How a harness speaks to its model: requests in, server-sent events out. */
import type { Step, Turn } from "../script.ts";

export type Body = Readonly<Record<string, unknown>>;

/** Some wires name their events. */
export type Events = readonly (readonly [name: string | null, data: object | string])[];

export interface Wire {
  readonly path: RegExp;
  /** Of these paths, those whose answer is one JSON, without events. */
  readonly wholePath?: RegExp;
  /** The conversation so far; empty for side requests, such as one for a title, which follow no script. */
  turnsOf(body: Body): Turn[];
  eventsOf(model: string, step: Step): Events;
}

/** Content is a text, or a list of parts of which some have one. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return ((content ?? []) as readonly Body[]).map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

export function offersTools({ tools }: Body): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

let ids = 0;

export function freshId(prefix: string): string {
  ids += 1;
  return `${prefix}_${process.pid}_${ids}`;
}
