/**
 * OpenCode has plugins instead of hooks. Ours is a file of this package; what lies in OpenCode's directory only points
 * there, and names the store for every process that OpenCode starts.
 */
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDocument, itemsAt } from "../../install/rules/entry.ts";
import type { HarnessPlaces, Pins } from "../../install/rules/harness-setup.ts";
import type { WholeFile } from "../../install/rules/wanted-file.ts";
import type { Harness } from "../contract.ts";
import { fileWithServer } from "../own-files.ts";
import { objectIn } from "../records.ts";

/** Settings that it adds to those of its files. */
const CONTENT = "OPENCODE_CONFIG_CONTENT";

/** The build makes it of the folder plugin/. */
const PLUGIN = "opencode-plugin.js";

export const setup: Harness["setup"] = {
  program: "opencode",
  directory: ({ env, home }) => join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode"),
  leadTo: (directory) => ({ XDG_CONFIG_HOME: directory === null ? undefined : dirname(directory) }),
  files(pins, places) {
    const directory = this.directory(places);
    const server = { type: "local", command: [pins.node, pins.program, "mcp"], environment: pins.variables };
    return [fileWithServer(configIn(directory, places), "mcp", server), pluginFile(directory, pins)];
  },
  skills: ({ home }) => join(home, ".agents", "skills"),
  forOneRun({ entries, files }, places) {
    const given = parsedOrNull(places.env[CONTENT] || "{}");
    if (!isDocument(given)) return { missing: [`${CONTENT} is set, and is not JSON that ours could be added to.`] };
    const plugins = [...itemsAt(given, ["plugin"]), ...files.map((path) => pathToFileURL(path).href)];
    const mcp = { ...objectIn(given["mcp"]), ...objectIn(entries["mcp"]) };
    const isSlow = files.length > 0 && !places.exists(join(this.directory(places), "node_modules"));
    return {
      env: { [CONTENT]: JSON.stringify({ ...given, mcp, plugin: plugins }) },
      missing: isSlow
        ? ["OpenCode first fetches @opencode-ai/plugin; without a network that takes about a minute."]
        : [],
    };
  },
  // Its flag --pure does the same for one start.
  switchedOff: ({ env }) => (env["OPENCODE_PURE"] ? ["OPENCODE_PURE in the environment"] : []),
  notes: () => [
    "OpenCode downloads the package @opencode-ai/plugin when it first finds a plugin. Without a network that start is slow.",
  ],
};

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** It reads both names; where both are there, the one with comments counts last. */
function configIn(directory: string, { exists }: HarnessPlaces): string {
  const withComments = join(directory, "opencode.jsonc");
  return exists(withComments) ? withComments : join(directory, "opencode.json");
}

function pluginFile(directory: string, { program, version, variables, hookScript, guard }: Pins): WholeFile {
  const plugin = join(dirname(program), PLUGIN);
  const lines = [
    `// talking-stick ${version}`,
    `import { TalkingStick as start } from ${JSON.stringify(pathToFileURL(plugin).href)};`,
    ...Object.entries(variables).map(([name, value]) => `process.env.${name} ||= ${JSON.stringify(value)};`),
    `export const TalkingStick = (input) => start(input, ${JSON.stringify(hookScript)}${guard ? ", { guard: true }" : ""});`,
  ];
  return {
    kind: "whole",
    path: join(directory, "plugin", "talking-stick.js"),
    text: `${lines.join("\n")}\n`,
    executable: false,
    what: "the plugin",
    looks: {
      mark: /^\/\/ talking-stick (\d\S*)\n/,
      pinned: /^(?:import|export) .* from "file:.*\/opencode-plugin\.js";$/m,
    },
  };
}
