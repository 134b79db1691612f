/** How a turn ended, in words for its former holder. A reason is written by others: on one line, and in quotes. */

import { isPersonsName } from "../../core/agent-id.ts";
import type { TakeoverGround } from "../../core/event.ts";
import type { AgentId } from "../../core/ids.ts";
import { toSnakeCase } from "../../core/letter-case.ts";
import { cutTo, visible } from "../../core/visible.ts";
import { lastHeardText } from "../../session/rules/host-silence.ts";
import { OWN_ACTS, type PolicyChange, type TurnEnd } from "./turn-end.ts";

const REASON_CHARACTERS = 300;
const NAME_CHARACTERS = 40;

const WHY: Readonly<Record<TakeoverGround, string>> = {
  owner_gone: " because your process was gone",
  host_silent: " because your machine was not heard of",
  owner_timeout: " because your lease had expired",
  operator_requested: "",
};

/** Why a holder may be taken over from. A machine that died and one that is cut off look the same from outside. */
export function holderLostText({
  reason,
  hostSilentMs = 0,
}: {
  readonly reason: Exclude<TakeoverGround, "operator_requested">;
  readonly hostSilentMs?: number;
}): string {
  switch (reason) {
    case "owner_gone":
      return "its process is gone";
    case "host_silent":
      return `its machine ${lastHeardText(hostSilentMs)}`;
    case "owner_timeout":
      return "its lease has expired";
  }
}

export function turnEndText(end: TurnEnd): string {
  const { turnId, reason, policyChanges = [] } = end;
  const isOwn = OWN_ACTS.includes(end.how);
  return [
    `${actText(end)}.`,
    turnId !== null && `That ended your turn ${turnId}.`,
    !isOwn && (reason === null || reason.trim() === "" ? "No reason was given." : `Reason: ${quotedReason(reason)}.`),
    ...policyChanges.map(policyText),
  ]
    .filter((sentence) => typeof sentence === "string")
    .join(" ");
}

function actText({ how, by, at, ground }: TurnEnd): string {
  const when = `on ${timeText(at)}`;
  switch (how) {
    case "takeover":
      return `${actorText(by)} took the stick from you ${when}${ground ? WHY[ground] : ""}`;
    case "given":
      return `${actorText(by)} gave the stick that you held to another ${when}`;
    case "kick":
      return `${actorText(by)} removed you from the room ${when}`;
    case "close":
      return `${actorText(by)} closed the room ${when}`;
    case "release":
      return `You released the stick ${when}`;
    case "pass":
      return `You passed the stick to another ${when}`;
    case "member_left":
      return `You left the room ${when}`;
  }
}

function policyText({ by, at, changes }: PolicyChange): string {
  const values = Object.entries(changes).map(([key, value]) => `${toSnakeCase(key)}=${value}`);
  return `During that turn ${actorText(by)} changed the policy on ${timeText(at)}: ${values.join(", ")}.`;
}

function actorText(by: AgentId | null): string {
  if (by === null) return "An unknown agent";
  const plain = visible(by).replace(/[\s<>[\]]/gu, "_");
  const name = cutTo(plain, NAME_CHARACTERS);
  return isPersonsName(by) ? `${name}, a person,` : name;
}

/** To the second: what was lost and taken again within a minute should not look like one event. */
function timeText(at: string): string {
  return `${at.slice(0, 19).replace("T", " ")} UTC`;
}

/** A blank reason counts as none. */
export function reasonOrNull(reason: string | null): string | null {
  return reason?.trim() ? reason : null;
}

export function quotedReason(reason: string): string {
  const line = visible(reason).replace(/\s+/gu, " ").trim().replaceAll("<", "&lt;").replaceAll('"', "'");
  return `"${cutTo(line, REASON_CHARACTERS)}"`;
}
