/** How a harness speaks to its model: a request in, server-sent events out. Nothing is remembered between requests. */
import type { ModelStep, ModelTurn } from "../script.ts";

export type RequestBody = Readonly<Record<string, unknown>>;

/** Some wires name their events. */
export type WireEvents = readonly (readonly [name: string | null, data: object | string])[];

export interface WireAnswer {
  /** As the request names it. */
  readonly model: string;
  readonly step: ModelStep;
  /** No other answer has it. */
  readonly id: string;
}

export interface Wire {
  readonly path: RegExp;
  /** Of these paths, those whose answer is one JSON, without events. */
  readonly wholePath?: RegExp;
  /** The conversation so far; empty for side requests, such as one for a title, which follow no script. */
  turnsOf(body: RequestBody): readonly ModelTurn[];
  eventsOf(answer: WireAnswer): WireEvents;
}

/** Content is a text, or a list of parts of which some have one. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return ((content ?? []) as readonly RequestBody[])
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");
}

export function offersTools({ tools }: RequestBody): boolean {
  return Array.isArray(tools) && tools.length > 0;
}

/** An event as it goes over the wire. */
export function eventText([name, data]: WireEvents[number]): string {
  if (typeof data === "string") return `data: ${data}\n\n`;
  return name === null
    ? `data: ${JSON.stringify(data)}\n\n`
    : `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`;
}
