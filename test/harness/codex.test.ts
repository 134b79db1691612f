import { describeSupport } from "./support/describe-support.ts";
import { codex } from "./support/drivers/codex.ts";

describeSupport(codex);
