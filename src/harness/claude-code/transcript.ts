/**
 * Claude Code writes `projects/<directory, every other character a hyphen>/<session id>.jsonl`, one record per line.
 * Subagents write into the same file, marked as a side chain; what the program itself tells the model is marked as
 * meta.
 */
import { NO_TURNS, type Turn, toolLine } from "../../peers/rules/transcript.ts";
import { isRegularFile, listNames } from "../../platform/files/list-names.ts";
import type { HarnessTranscript } from "../contract.ts";
import { type JsonFields, objectIn, objectsIn, textIn } from "../records.ts";
import { readJsonLines } from "../transcript.ts";
import { claudeCodeDirectory } from "./identity.ts";

const WITHOUT_TALK = new Set(
  (
    "attachment system mode permission-mode queue-operation file-history-snapshot last-prompt tools-used api-request " +
    "api-request-shape api-request-blob atis-latch cost-state summary progress custom-title ai-title tag"
  ).split(" "),
);

export const transcript: HarnessTranscript = {
  find({ sessionId, cwd, env, home }) {
    const projects = `${claudeCodeDirectory(env, home)}/projects`;
    const places = foldersFor(projects, cwd).map((folder) => `${projects}/${folder}/${sessionId}.jsonl`);
    return places.find(isRegularFile) ?? null;
  },
  read: readJsonLines((record) => {
    const { type, message, timestamp } = record;
    if (WITHOUT_TALK.has(String(type))) return NO_TURNS;
    if (type !== "user" && type !== "assistant") return null;
    if (record["isSidechain"] === true || record["isMeta"] === true) return NO_TURNS;
    const { content } = objectIn(message);
    const at = textIn(timestamp);
    if (typeof content === "string") return { turns: [{ role: type, text: content, at }] };
    return { turns: objectsIn(content).flatMap((block): readonly Turn[] => turnsIn(block, type, at)) };
  }),
};

/** Those of the directory, of those above it and below it; all, if the session's directory is unknown. */
function foldersFor(projects: string, cwd: string | null): readonly string[] {
  const folders = listNames(projects);
  if (cwd === null) return folders;
  const own = folderOf(cwd);
  const above = cwd.split("/").map((_, index, parts) => folderOf(parts.slice(0, index + 1).join("/")));
  return [own, ...folders.filter((folder) => above.includes(folder) || folder.startsWith(`${own}-`))];
}

function folderOf(directory: string): string {
  return directory.replace(/[^A-Za-z0-9]/g, "-");
}

function turnsIn(block: JsonFields, role: Turn["role"], at: string | null): readonly Turn[] {
  if (block["type"] === "text") return [{ role, text: textIn(block["text"]) ?? "", at }];
  if (block["type"] !== "tool_use") return [];
  return [{ role: "tool", text: toolLine(textIn(block["name"]) ?? "tool", block["input"]), at }];
}
