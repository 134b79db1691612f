/** `tt ui`: serves the page to one person of this machine until it is stopped. */
import type { ServerResponse } from "node:http";
import type { RoomId } from "../../core/ids.ts";
import { isRefusal } from "../../core/refusal.ts";
import type { Operation } from "../../engine/operation.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { CliContext } from "../cli/context.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { granted } from "../cli/granted.ts";
import { personOf } from "../cli/person-of.ts";
import { roomOf } from "../cli/room-of.ts";
import { BEAT_MS, type HelloLine } from "../wire/stream-line.ts";
import { ANSWER_HEADERS } from "./answer-headers.ts";
import { BoardFeed } from "./board-feed.ts";
import { LineWriter } from "./line-writer.ts";
import { PAGE_OPERATIONS, PageCalls } from "./page-calls.ts";
import { PageStore } from "./page-store.ts";
import { PageStream, type StreamOptions, streamRequestIn } from "./page-stream.ts";
import { showPage } from "./show-page.ts";
import type { UiOptions } from "./ui-command.ts";
import type { UiPorts } from "./ui-ports.ts";
import { UiServer } from "./ui-server.ts";

export async function openUi(context: CliContext, options: UiOptions, ports: UiPorts): Promise<number> {
  const person = await personOf(context);
  const readOnly = whyReadOnly(person, options);
  const here = await roomHere(context);
  const store = new PageStore(context, readOnly === null ? "change" : "read");
  await store.open();
  const quit = quitOf(context);
  const bugs: unknown[] = [];
  const broken = (error: unknown) => {
    bugs.push(error);
    quit.abort();
  };
  const feed = new BoardFeed({ context, store, person, broken });
  const calls = new PageCalls({ context, store, person, readOnly });
  const hello: HelloLine = {
    line: "hello",
    version: context.ports.version,
    me: person?.agentId ?? null,
    readOnly,
    here,
  };
  const came = new AbortController();
  const server = new UiServer({
    ports,
    quit: quit.signal,
    broken: (error) => void tellBug(context, error),
    pageCame: () => came.abort(),
    answer: (name, body, cancel) => calls.answer(PAGE_OPERATIONS.get(name) as Operation, body, cancel),
    stream: (body, response, cancel) => streamTo(response, body, { hello, feed, store, cancel }),
  });
  const port = await server.listen(options.port);
  try {
    const told = { ports, port, isPerson: person !== null, came: came.signal, quit: quit.signal };
    await showPage(context, { ...told, opensBrowser: options.opensBrowser, isReadOnly: readOnly !== null });
    await untilAborted(quit.signal);
  } finally {
    quit.abort();
    await server.close();
  }
  if (bugs.length > 0) throw bugs[0];
  return EXIT.done;
}

/** If the terminal has gone, nobody is there to be told. */
async function tellBug({ ports }: CliContext, error: unknown): Promise<void> {
  await ports.writeError(`tt: this is a bug in tt: ${String(error)}\n`).catch(() => undefined);
}

/** Null if the body asks for no stream. */
export function streamTo(
  response: ServerResponse,
  body: Readonly<Record<string, unknown>>,
  shared: Omit<StreamOptions, "request" | "writer">,
) {
  const request = streamRequestIn(body);
  if (request === null) return null;
  response.writeHead(200, { ...ANSWER_HEADERS, "Content-Type": "application/x-ndjson" });
  const writer = new LineWriter(response);
  const beat = setInterval(() => writer.beat(), BEAT_MS);
  return new PageStream({ ...shared, request, writer }).run().finally(() => clearInterval(beat));
}

function whyReadOnly(person: Caller | null, { readOnly }: UiOptions): string | null {
  if (readOnly) return "tt ui was started with --read-only.";
  return person === null ? "No person started tt ui under their own name." : null;
}

/** The room that was named must be there. Otherwise the page opens with the list of rooms. */
async function roomHere(context: CliContext): Promise<RoomId | null> {
  const room = await roomOf(context);
  const isNamed = context.args.text("room") !== undefined || context.args.positional("path") !== undefined;
  if (isRefusal(room)) return isNamed ? granted(room) : null;
  return room.id;
}

/** Aborted when the person ends it, or when it cannot go on. */
function quitOf(context: CliContext): AbortController {
  const quit = new AbortController();
  const { interrupted } = context.ports;
  interrupted.addEventListener("abort", () => quit.abort());
  if (interrupted.aborted) quit.abort();
  return quit;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve());
    if (signal.aborted) resolve();
  });
}
