/** What chat and watch have in common when they open. */
import { isRefusal } from "../../core/refusal.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { callerOf } from "../../session/rules/identity.ts";
import type { CliContext } from "../cli/context.ts";
import type { Key, KeyReader } from "./keys.ts";

/**
 * The person who started this; null for everyone else, who may only look. A person who names an agent works in its name:
 * here that would take the mail of the agent.
 */
export async function personOf(context: CliContext): Promise<Caller | null> {
  const identification = await context.identification();
  if (isRefusal(identification) || isRefusal(identification.identity)) return null;
  const { identity } = identification;
  // An unknown harness may run on a terminal, too.
  return identity.idSource === "person" && !context.ports.insideHarness() ? callerOf(identity) : null;
}

/** Presses the keys in what the terminal sends, and draws once after them. */
export function readingKeys(reader: KeyReader, press: (key: Key) => void, draw: () => void): (chunk: string) => void {
  const pressAll = (keys: readonly Key[]) => {
    for (const key of keys) press(key);
    draw();
  };
  let timer: NodeJS.Timeout | undefined;
  return (chunk) => {
    clearTimeout(timer);
    pressAll(reader.push(chunk));
    const { patienceMs } = reader;
    if (patienceMs !== null) timer = setTimeout(() => pressAll(reader.giveUp()), patienceMs).unref();
  };
}
