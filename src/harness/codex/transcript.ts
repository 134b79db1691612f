/**
 * Codex writes `sessions/YYYY/MM/DD/rollout-<local time>-<thread id>.jsonl`. The first half of a thread's id is the time
 * it was made, so its day need not be searched for. What it tells the model by itself comes as user messages, too, and
 * is known by its first word.
 */

import { wallTime } from "../../core/time.ts";
import { NO_TURNS, type Turn, toolLine } from "../../peers/rules/transcript.ts";
import { readStartOrNull } from "../../platform/files/bounded-read.ts";
import { listNames } from "../../platform/files/list-names.ts";
import type { HarnessTranscript } from "../contract.ts";
import { areRelated, type JsonFields, objectIn, objectsIn, textIn } from "../records.ts";
import { readJsonLines } from "../transcript.ts";
import { codexDirectory } from "./identity.ts";

const WITHOUT_TALK = new Set(
  "session_meta turn_context world_state event_msg token_usage_record compacted ghost_snapshot".split(" "),
);
const SILENT_ITEMS = new Set(
  "function_call_output custom_tool_call_output reasoning web_search_call ghost_snapshot compaction".split(" "),
);
const OWN_WORDS =
  /^\s*(<(environment_context|user_instructions|permissions instructions|turn_aborted|hook_prompt)|# AGENTS\.md)/;
const HEADER_BYTES = 16_384;
const DAY_MS = 24 * 60 * 60 * 1000;

export const transcript: HarnessTranscript = {
  find({ sessionId, cwd, env, home }) {
    const root = `${codexDirectory(env, home)}/sessions`;
    const ending = `-${sessionId}.jsonl`;
    for (const day of daysAround(sessionId)) {
      const name = listNames(`${root}/${day}`).findLast((file) => file.startsWith("rollout-") && file.endsWith(ending));
      const path = name === undefined ? null : `${root}/${day}/${name}`;
      if (path !== null) return cwd === null || worksIn(path, cwd) ? path : null;
    }
    return null;
  },
  read: readJsonLines(({ type, payload, timestamp }) => {
    if (WITHOUT_TALK.has(String(type))) return NO_TURNS;
    if (type !== "response_item") return null;
    const item = objectIn(payload);
    const at = textIn(timestamp);
    switch (item["type"]) {
      case "message":
        return { turns: messageTurns(item, at) };
      case "function_call":
        return { turns: [{ role: "tool", text: toolLine(nameOf(item), item["arguments"]), at }] };
      case "custom_tool_call":
        return { turns: [{ role: "tool", text: toolLine(nameOf(item), item["input"]), at }] };
      case "local_shell_call":
        return { turns: [{ role: "tool", text: toolLine("shell", objectIn(item["action"])["command"]), at }] };
      default:
        return SILENT_ITEMS.has(String(item["type"])) ? NO_TURNS : null;
    }
  }),
};

/** The first record says where the thread was begun. It is long, and the directory stands at its beginning. */
function worksIn(path: string, cwd: string): boolean {
  const [, begun] = /"cwd":("(?:[^"\\]|\\.)*")/.exec(readStartOrNull(path, HEADER_BYTES) ?? "") ?? [];
  return begun === undefined || areRelated(String(JSON.parse(begun)), cwd);
}

function messageTurns(item: JsonFields, at: string | null): readonly Turn[] {
  const { role } = item;
  if (role !== "user" && role !== "assistant") return [];
  const texts = objectsIn(item["content"]).flatMap(({ text }) => textIn(text) ?? []);
  return texts.filter((text) => role === "assistant" || !OWN_WORDS.test(text)).map((text) => ({ role, text, at }));
}

function nameOf(item: JsonFields): string {
  const [space, name] = [textIn(item["namespace"]), textIn(item["name"]) ?? "tool"];
  return space === null ? name : `${space}.${name}`;
}

/** The day of a thread's id in every time zone; none for an id of another kind. */
function daysAround(threadId: string): readonly string[] {
  const [, high = "", low = ""] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(threadId) ?? [];
  const madeMs = Number.parseInt(high + low, 16);
  if (!Number.isSafeInteger(madeMs)) return [];
  return [0, -DAY_MS, DAY_MS].map((shift) =>
    wallTime(madeMs + shift)
      .slice(0, 10)
      .replaceAll("-", "/"),
  );
}
