import { describeGuard } from "./support/describe-guard.ts";

describeGuard("gemini");
