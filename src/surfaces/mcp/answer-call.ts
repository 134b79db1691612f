/** One call of a tool, from its arguments to its result. An error is a result, too, and says what to do next. */
import type { CallToolRequest, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { Fault } from "../../core/fault.ts";
import type { RawInput } from "../../core/field.ts";
import { nearest } from "../../core/nearest.ts";
import type { Step } from "../../core/next.ts";
import { invalidInput, isRefusal, type Refusal } from "../../core/refusal.ts";
import type { Deps } from "../../engine/deps.ts";
import type { InFlight } from "../../engine/in-flight.ts";
import type { CallEvidence } from "../../session/rules/evidence.ts";
import { OPERATIONS } from "../operations.ts";
import type { AnswerTransport } from "./answer-transport.ts";
import { type McpPorts, ToolCall } from "./call.ts";
import { takeSessionArgument } from "./clients.ts";
import type { FlagKeepers } from "./flag-keepers.ts";
import { GATEWAY } from "./gateway.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";
import type { LossTeller } from "./loss-teller.ts";
import { nameFor } from "./name-for.ts";
import type { OwnWaker } from "./own-waker.ts";
import { progressOf } from "./progress.ts";
import { respond, type ToolResult } from "./respond.ts";
import type { ServedSessions } from "./served-sessions.ts";
import type { Tool } from "./tool.ts";

/** What all calls of one server have in common. */
export interface Shared {
  readonly ports: McpPorts;
  readonly deps: () => Promise<Deps | Refusal>;
  /** To be called after a fault: a store that is no longer there is not used again. */
  readonly letGo: () => Promise<void>;
  readonly keeper: LeaseKeeper;
  readonly waker: OwnWaker | null;
  readonly served: Pick<ServedSessions, "meet">;
  readonly flagKeepers: FlagKeepers | null;
  readonly losses: LossTeller;
  readonly cursors: Map<string, number>;
  readonly nextAttempt: () => number;
  readonly transport: AnswerTransport;
  readonly tools: ReadonlyMap<string, Tool>;
}

export async function answerCall(
  shared: Shared,
  server: McpServer,
  { name, arguments: given = {} }: CallToolRequest["params"],
  context: ServerContext,
): Promise<ToolResult> {
  let roomId: string | undefined;
  const word = (step: Step) => nameFor(step, shared, roomId);
  const named = shared.tools.get(name);
  if (!named) return respond(async () => unknownTool(name, shared.tools), word);
  const client = clientOf(server, context);
  const { input, taken } = takeSessionArgument(client.clientName, given);
  const target = named.leadsTo ? named.leadsTo(input) : { tool: named, given: input };
  if (isRefusal(target)) return respond(async () => target, word);
  const { _meta: meta } = context.mcpReq;
  const evidence = { ...client, meta: { ...meta, ...taken } };
  const shown: InFlight[] = [];
  const call = callOf(shared, evidence, context, shown);
  try {
    return await respond(async () => {
      try {
        if (shared.keeper.keepsAny) await call.session();
        const answer = await call.withLoss(await target.tool.run(call, target.given), target.tool);
        roomId = roomMeant(target.given, answer);
        handOver(shared.transport, context, shown);
        return answer;
      } catch (error) {
        // An answer that tells only of the error shows nothing of it.
        for (const one of shown) shared.transport.giveBack(one);
        if (error instanceof Fault) await shared.letGo();
        throw error;
      }
    }, word);
  } finally {
    call.end();
  }
}

/** The room that the caller named, or entered by a path: not the one that is meant when a call names none. */
function roomMeant(given: RawInput, answer: object): string | undefined {
  const { room_id: named, context_path: path, force_new: isNew } = given;
  if (typeof named === "string") return named;
  const { roomId } = answer as { readonly roomId?: unknown };
  return typeof roomId === "string" && (path !== undefined || isNew === true) ? roomId : undefined;
}

function callOf(shared: Shared, evidence: CallEvidence, context: ServerContext, shown: InFlight[]): ToolCall {
  const { signal, id } = context.mcpReq;
  const { transport } = shared;
  signal.addEventListener("abort", () => transport.forget(id), { once: true });
  return new ToolCall({
    ...shared,
    evidence,
    signal,
    progress: progressOf(context),
    afterAnswer: (taken) => void shown.push(taken),
  });
}

/** What comes with the answer is acknowledged when that has left. */
function handOver(
  transport: AnswerTransport,
  { mcpReq: { signal, id } }: ServerContext,
  shown: readonly InFlight[],
): void {
  for (const taken of shown) {
    if (signal.aborted) transport.giveBack(taken);
    else transport.afterAnswer(id, taken);
  }
}

/** The client of the older era names itself once, that of the newer one with every call. */
function clientOf(server: McpServer, { mcpReq }: ServerContext) {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const named: Readonly<Record<string, unknown>> = {
    ...(envelope[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()),
  };
  return { clientName: textOrNull(named["name"]), clientVersion: textOrNull(named["version"]) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): Refusal {
  const names = [...tools.keys()];
  const shown = JSON.stringify(name.slice(0, SHOWN_CHARACTERS));
  const isBehindGateway =
    tools.has(GATEWAY) && OPERATIONS.some(({ name: known, mcp }) => known === name && mcp !== "none");
  const near = nearest(name, names);
  const next = near ? `Did you mean ${near}?` : `Use ${names.join(", ")}.`;
  return invalidInput(
    "name",
    `There is no tool ${shown}.`,
    isBehindGateway ? `Call ${GATEWAY} with operation ${shown}.` : next,
  );
}

const SHOWN_CHARACTERS = 60;
