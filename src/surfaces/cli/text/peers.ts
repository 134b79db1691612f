/** The sessions of a project, and a peer's turns, in words. */
import { span } from "../../../core/time.ts";
import type { PeerEntry } from "../../../peers/list-project-sessions.ts";
import type { PaneAnswer, TranscriptAnswer } from "../../../peers/read-session.ts";
import { ago } from "../../words/ago.ts";
import { visible, wrap, wrapWhole } from "../../words/wrap.ts";
import { nameColumns } from "./names.ts";
import { paintedLines } from "./paint.ts";
import type { Reading } from "./reading.ts";
import { machineText } from "./room.ts";

export function peersText(sessions: readonly PeerEntry[], me: string | null, options: Reading): string {
  if (sessions.length === 0) return wrapWhole(`Nobody is here. Join with: ${options.tt} join`, options.width);
  return sessions.map((peer) => peerText(peer, me, options)).join("\n");
}

function peerText(peer: PeerEntry, me: string | null, { nowMs, width, paint, names }: Reading): string {
  const indent = " ".repeat(4);
  const mark = peer.status === "inactive" ? paint.dim("○") : paint.green("●");
  const facts = [
    peer.handle === null && peer.status !== "inactive" ? "in no room yet" : "",
    machineText(peer),
    peer.holdsStick ? "holds the stick" : "",
    activityText(peer, nowMs),
    peer.reachable ? "reachable" : "",
    peer.unread > 0 ? `${peer.unread} unread` : "",
    peer.lastSeenAt ? `seen ${ago(peer.lastSeenAt, nowMs)}` : "",
  ].filter((fact) => fact !== "");
  const you = peer.agentId === me ? " ← you" : "";
  const line = `${nameColumns(peer, names)} ${facts.join(", ")}${you}`;
  const shown = wrap(line, width, indent);
  const first = peer.holdsStick ? paintedLines(shown, paint.bold) : shown;
  return `${mark} ${[first, ...cardLines(peer, width, indent)].join(`\n${indent}`)}`;
}

function activityText({ activity, activitySince }: PeerEntry, nowMs: number): string {
  if (activity === "unknown") return "";
  return activitySince ? `${activity} since ${ago(activitySince, nowMs)}` : activity;
}

function cardLines({ stateCard }: PeerEntry, width: number, indent: string): readonly string[] {
  if (!stateCard) return [];
  const { purpose, files = [], blockedOn } = stateCard;
  return [
    wrap(purpose.trimEnd(), width, indent),
    ...(blockedOn === undefined ? [] : [wrap(`blocked on: ${blockedOn}`, width, indent)]),
    ...(files.length === 0 ? [] : [wrap(`files: ${files.join(" ")}`, width, indent)]),
  ];
}

export function sessionText(answer: TranscriptAnswer | PaneAnswer, options: Reading): string {
  const who = options.names.ids ? answer.agentId : (answer.handle ?? answer.agentId);
  if (answer.mode === "pane") {
    const cut = answer.charsTruncated ? ", the beginning left out" : "";
    return `${who === null ? "" : `${who}, `}pane ${answer.pane}${cut}:\n\n${visible(answer.text)}\n`;
  }
  return `${wrap(`${who}, ${whatIsShown(answer)}:`, options.width)}\n\n${turnsText(answer, options)}\n`;
}

function whatIsShown(answer: TranscriptAnswer): string {
  const { count, totalMessages, totalMessagesExact, ageMs, bytesTruncated, skippedRecords } = answer;
  const all = totalMessagesExact && count === totalMessages;
  const total = totalMessagesExact ? `${totalMessages}` : `more than ${Math.max(count, totalMessages - 1)}`;
  return [
    all ? turnsCount(count) : `the last ${turnsCount(count)} of ${total}`,
    `written ${ageMs < 1000 ? "now" : `${span(ageMs)} ago`}`,
    ...(bytesTruncated ? ["cut to the budget"] : []),
    ...(skippedRecords > 0 ? [`${skippedRecords} records not understood`] : []),
  ].join(", ");
}

function turnsCount(count: number): string {
  return `${count} turn${count === 1 ? "" : "s"}`;
}

function turnsText({ messages }: TranscriptAnswer, { width, paint, nowMs }: Reading): string {
  const indent = " ".repeat(11);
  return messages
    .map(({ role, text, at }) => {
      const when = at ? `${paint.dim(ago(at, nowMs))}\n${indent}` : "";
      return `${paint.dim(role.padEnd(10))} ${when}${wrap(text, width, indent)}`;
    })
    .join("\n");
}
