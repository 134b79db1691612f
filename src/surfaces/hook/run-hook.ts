/**
 * One hook, from its words and its payload to what it prints. It fails open: whatever goes wrong, it prints nothing,
 * writes one line into the log and ends well, because an agent's work must not depend on us. What was printed is
 * marked as shown only afterwards.
 */

import { Fault } from "../../core/fault.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { settleOwnAttempts } from "../../guard/foreign-writes.ts";
import { harnessNamed } from "../../harness/harnesses.ts";
import { answerHook } from "../../hooks/answer-hook.ts";
import type { HookDeps } from "../../hooks/hook-deps.ts";
import { HOOK_EVENTS, type HookCall, type HookEvent } from "../../hooks/rules/hook.ts";
import type { Caller } from "../../session/rules/decision-input.ts";

export interface HookPorts {
  /** What the harness says on standard input; null when it is no JSON. */
  readonly readPayload: () => Promise<unknown>;
  /** Returns when the text has left the process; throws when nobody reads it. */
  readonly writeOut: (text: string) => void;
  readonly openDeps: () => Promise<HookDeps | Refusal>;
  readonly identify: (deps: HookDeps, call: HookCall) => Promise<Caller | Refusal>;
  readonly log: (what: string) => void;
}

const LEAST_MS_TO_CLOSE = 200;
/** At these, a tool that was let through may not have run yet. */
const BEFORE_TOOLS: readonly HookEvent[] = ["pre-tool", "own-tool", "subagent-start"];

/** The words: the harness, the event, and who called the script. */
export async function runHook(words: readonly string[], ports: HookPorts): Promise<void> {
  try {
    await answer(words, ports);
  } catch (error) {
    ports.log(causeOf(error));
  }
}

async function answer([harness = "", event = "", calledBy]: readonly string[], ports: HookPorts): Promise<void> {
  const dialect = harnessNamed(harness)?.hooks;
  if (!dialect || !isHookEvent(event)) return ports.log("there is no such hook");
  const payload = await ports.readPayload();
  const parsed = isObject(payload) ? dialect.parse(event, payload) : null;
  const call = parsed && (dialect.inspect?.(parsed) ?? parsed);
  if (!call) return ports.log("standard input holds no payload of that harness");
  // Of the main agent's own use nothing has to be known, and its hook before every tool does the rest.
  if (call.event === "own-tool" && !call.isSubagent) return;
  const deps = await ports.openDeps();
  if (isRefusal(deps)) return ports.log(causeOf(deps));
  const caller = await ports.identify(deps, call);
  if (isRefusal(caller)) return ports.log(causeOf(caller));
  if (deps.attempts) await settleOwnAttempts(deps, deps.attempts, caller, !BEFORE_TOOLS.includes(event));
  const outcome = await answerHook(deps, caller, calledBy === undefined ? call : { ...call, calledBy });
  const text = dialect.render(event, outcome);
  if (text !== "") ports.writeOut(`${text}\n`);
  if (outcome.late) ports.log("it was near its time limit, so the mail waits for the next hook");
  await outcome.afterFlush?.();
  // Where only hooks use a store, only they can shorten its log, which grows with every change.
  if (deps.leftMs() > LEAST_MS_TO_CLOSE) await deps.store.close();
}

function isHookEvent(value: string): value is HookEvent {
  return (HOOK_EVENTS as readonly string[]).includes(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Codes and messages of ours hold no secrets. The messages of others might, as when a payload cannot be parsed. */
export function causeOf(error: unknown): string {
  if (isRefusal(error)) return `${error.error}: ${error.message}`;
  if (error instanceof Fault) return `${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return "an unknown failure";
  const { name, code } = error as NodeJS.ErrnoException;
  return code === undefined ? name : `${name} ${code}`;
}
