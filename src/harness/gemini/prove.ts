/** Gemini CLI takes one prompt for each start without a terminal. */
import { gemini } from "../../prove/rules/wires/gemini.ts";
import type { ProofDriver } from "../proof-driver.ts";

/** This model's name spares it a request about which model to use. */
const WORDS = ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-o", "stream-json"];

export const prove: ProofDriver = {
  wire: gemini,
  files: () => ({
    ".gemini/settings.json": JSON.stringify({
      // Without it another way to sign in is chosen, which knows no address but its own.
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    }),
  }),
  edit: (path) => ({ tool: "write_file", input: { file_path: path, content: "written" } }),
  shell: (command) => ({ tool: "run_shell_command", input: { command, description: "write a file" } }),
  noWake: "outside of its terminal nothing can begin a turn",
  async start({ modelUrl }, start) {
    return {
      async prompt(text) {
        const program = start([...WORDS, "-p", text], {
          GOOGLE_GEMINI_BASE_URL: modelUrl,
          GEMINI_API_KEY: "scripted",
          GEMINI_CLI_NO_RELAUNCH: "true",
        });
        program.endInput();
        const code = await program.ended;
        if (code !== 0) throw new Error(`it ended with ${code ?? "a signal"}: ${program.lastWords()}`);
      },
    };
  },
};
