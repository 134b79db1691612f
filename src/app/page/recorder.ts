/** What `tt export --html` runs. It is a bundle of its own, because most commands never need it. */
import { readPageFile } from "../../platform/page/page-files.ts";
import { gzipBase64, obstacleTo, sha256Base64, writeRecording } from "../../platform/page/recording-file.ts";
import { gatherRecording } from "../../surfaces/recording/gather-recording.ts";
import type { Recorder } from "../../surfaces/recording/recorder.ts";
import { countsOf, recordingPage } from "../../surfaces/recording/recording-page.ts";

const TOOLS = { digest: sha256Base64, compressed: gzipBase64 };

const partOf = (name: string) => readPageFile(name).toString("utf8");

export function openRecorder(): Recorder {
  return {
    gather: gatherRecording,
    async page(recording) {
      const parts = { html: partOf("index.html"), script: partOf("page.js"), style: partOf("page.css") };
      return { html: await recordingPage(parts, recording, TOOLS), counts: countsOf(recording) };
    },
    obstacleTo,
    write: writeRecording,
  };
}
