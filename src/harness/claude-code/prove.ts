/** Claude Code without its terminal takes prompts as lines of JSON, and stays idle between them with its inbox open. */
import { anthropic } from "../../prove/rules/wires/anthropic.ts";
import type { ProofDriver } from "../proof-driver.ts";
import { fieldsIn } from "../records.ts";

const KEY = "sk-ant-scripted-model";
const FORMATS = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];

export const prove: ProofDriver = {
  wire: anthropic,
  files: ({ tree }) => ({
    ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash", "Write", "Edit"] } }),
    ".claude.json": JSON.stringify({
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: [KEY.slice(-20)] },
      projects: { [tree]: { hasTrustDialogAccepted: true } },
    }),
  }),
  edit: (path) => ({ tool: "Write", input: { file_path: path, content: "written" } }),
  shell: (command) => ({ tool: "Bash", input: { command, description: "write a file" } }),
  async start({ modelUrl }, start) {
    const claude = start(["-p", ...FORMATS, "--permission-mode", "acceptEdits"], {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    });
    return {
      async prompt(content) {
        claude.send(JSON.stringify({ type: "user", message: { role: "user", content } }));
        await claude.until((line) => (fieldsIn(line)["type"] === "result" ? true : undefined));
      },
    };
  },
};
