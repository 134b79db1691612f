/** Registering: a claim, what the session's mailbox understands, and a place in the project's room. */

import { optional, shaped } from "../core/field.ts";
import { invalidInput, isRefusal, type Refusal } from "../core/refusal.ts";
import { operation } from "../engine/operation.ts";
import { refuseLeftover } from "../engine/refuse-leftover.ts";
import { type Claimed, claim, SESSION_ID } from "../session/claim-session.ts";
import { noteSession } from "../session/note-session.ts";
import type { Caller } from "../session/rules/decision-input.ts";
import { callerOf, type Identification } from "../session/rules/identity.ts";
import { ALL_CAPABILITIES, type Capabilities } from "../session/rules/session.ts";
import { enterPath } from "./join-path.ts";

/** As they come over the wire, by our names; what is left out is true. */
const MAILBOX = { reply_to: "replyTo", provenance: "provenance", push_budget: "pushBudget" } as const;
const FLAG = { type: "boolean" };
const FLAGS = Object.fromEntries(Object.keys(MAILBOX).map((name) => [name, FLAG]));
const CAPABILITIES = { type: "object", properties: { mailbox: { type: "object", properties: FLAGS } } };

export const registerMySession = operation({
  name: "register_my_session",
  summary:
    "Says which session of your harness you are, like claim_session, joins the project's room, and says what your mailbox cannot do. With reply_to false, your next message counts as the answer to an ask.",
  needs: { store: "change", caller: "identified", room: "none" },
  input: { sessionId: SESSION_ID, capabilities: optional(shaped(CAPABILITIES, decodeCapabilities)) },
  refusals: ["not_authorized"],
  mcp: "gateway",
  async run({ deps, directory, ...who }, { sessionId, capabilities = ALL_CAPABILITIES }) {
    const claimed = await claim(deps, directory, who, { sessionId });
    if (isRefusal(claimed)) return claimed;
    const caller = callerAfter(claimed, who.identification);
    const ended = refuseLeftover(deps, caller);
    if (ended) return ended;
    const entered = await enterPath(deps, caller, directory);
    if (isRefusal(entered)) return entered;
    await noteSession(deps, caller, entered.joined.project, { capabilities });
    return { ...claimed, capabilities };
  },
});

/** Who calls from now on. A provisional name that it had before is merged into the claimed one. */
function callerAfter({ agentId, sessionId }: Claimed, { identity, anchor, facts }: Identification): Caller {
  if (isRefusal(identity)) {
    const [harness = "agent"] = agentId.split(":");
    const process = anchor?.process ?? null;
    return { agentId, harness, isPerson: false, process, sessionId, formerId: null, tmuxPane: null };
  }
  const formerId = identity.agentId === agentId ? identity.formerId : identity.verified ? null : identity.agentId;
  return { ...callerOf(identity, facts), agentId, sessionId, formerId };
}

/** Capabilities that are not ours to know are ignored. */
function decodeCapabilities(name: string, raw: unknown): Capabilities | Refusal<"invalid_input"> {
  const mailbox: Record<string, boolean> = { ...ALL_CAPABILITIES.mailbox };
  const given = isRecord(raw) ? (raw["mailbox"] ?? {}) : null;
  if (!isRecord(given)) return invalidInput(name, `${name} is not {mailbox: {…}}.`, `Give ${name}.mailbox.`);
  for (const [wire, key] of Object.entries(MAILBOX)) {
    const value = given[wire] ?? mailbox[key];
    if (typeof value !== "boolean") {
      const field = `${name}.mailbox.${wire}`;
      return invalidInput(
        field,
        `${field} is neither true nor false.`,
        `Give ${field} as true or false, or leave it out.`,
      );
    }
    mailbox[key] = value;
  }
  return { mailbox: mailbox as unknown as Capabilities["mailbox"] };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
