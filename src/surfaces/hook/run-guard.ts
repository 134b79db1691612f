/**
 * The guard's hook, from its words and its payload to what it prints. Like every hook it fails open: without a certain
 * answer the tool runs, and the log says why. A refusal is printed in the form that the harness understands, and its
 * reason on standard error as well.
 */
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { answerGuard } from "../../guard/answer-guard.ts";
import type { GuardDeps } from "../../guard/guard-deps.ts";
import { harnessNamed } from "../../harness/harnesses.ts";
import type { HookCall } from "../../hooks/rules/hook.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { causeOf, type HookPorts } from "./run-hook.ts";

export interface GuardPorts extends Pick<HookPorts, "readPayload" | "writeOut" | "log"> {
  readonly writeReason: (text: string) => void;
  readonly openDeps: () => Promise<GuardDeps | Refusal>;
  readonly identify: (deps: GuardDeps, call: HookCall) => Promise<Caller | Refusal>;
}

/** Whether the tool was refused. */
export async function runGuard(harness: string, ports: GuardPorts): Promise<boolean> {
  try {
    const dialect = harnessNamed(harness)?.hooks;
    const payload = await ports.readPayload();
    const fields = typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>) : null;
    const call = fields && dialect?.parse("pre-tool", fields);
    if (!dialect || !fields || !call) return failed(ports, "standard input holds no payload of that harness");
    const attempt = dialect.attemptIn(fields);
    // The harness calls this hook only for tools that write, so this payload is not what it seems.
    if (attempt === null) return failed(ports, "the payload holds no call of a tool that writes");
    if (call.cwd === null) return failed(ports, "the payload names no directory");
    const deps = await ports.openDeps();
    if (isRefusal(deps)) return failed(ports, causeOf(deps));
    const caller = await ports.identify(deps, call);
    if (isRefusal(caller)) return failed(ports, causeOf(caller));
    const reason = await answerGuard(deps, caller, call, attempt);
    if (reason === null) return false;
    ports.writeOut(`${dialect.renderDenial(reason)}\n`);
    sayAlso(ports, reason);
    return true;
  } catch (error) {
    return failed(ports, causeOf(error));
  }
}

/** The refusal is out already, and stands. */
function sayAlso({ writeReason, log }: GuardPorts, reason: string): void {
  try {
    writeReason(`${reason}\n`);
  } catch (error) {
    log(`the reason could not be written to standard error: ${causeOf(error)}`);
  }
}

function failed({ log }: GuardPorts, what: string): false {
  log(what);
  return false;
}
