// Reads the code of a printed certificate with the camera. Loaded when a person asks for it. The pictures stay on the device.
import { Refusal } from '/view/json.ts';
import { pixelsOf } from '/lib/pictures.ts';
import { say } from '/lib/texts.ts';
import { useEffect, useRef } from 'preact/hooks';
import { certificateIn, codeReader } from './code.ts';

/** The maximum width and height of a picture for the reader, in pixels. */
const MAX_PIXELS = 1000;
/** Milliseconds between two pictures. */
const PAUSE = 150;

interface Properties {
  /** Gets the text of a code that names a certificate. */
  readonly found: (text: string) => void;
  /** Gets the reason why the camera cannot be used, or null if the person has stopped it. */
  readonly ended: (error: unknown) => void;
}

export function Camera({ found, ended }: Properties) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const end = new AbortController();
    if (video.current !== null) {
      // After the end, an interrupted start of the video is no error.
      scan(video.current, end.signal).then(
        (text) => text !== null && found(text),
        (error) => !end.signal.aborted && ended(error),
      );
    }
    return () => end.abort();
  }, []);
  return (
    <section class="camera" aria-label={say('verify.camera')}>
      <video ref={video} muted playsInline />
      <p class="hint" role="status">
        {say('verify.cameraHint')}
      </p>
      <p class="actions">
        <button type="button" id="camera-stop" onClick={() => ended(null)}>
          {say('verify.cameraStop')}
        </button>
      </p>
    </section>
  );
}

/** Shows the pictures of the camera until one of them has a code. Returns the code's text, or null after `signal`. */
async function scan(video: HTMLVideoElement, signal: AbortSignal): Promise<string | null> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1920 }, height: { ideal: 1080 } } }).catch(() => {
    throw Refusal.of('verify.cameraRefused');
  });
  const stop = () => {
    for (const track of stream.getTracks()) {
      track.stop();
    }
  };
  signal.addEventListener('abort', stop);
  try {
    video.srcObject = stream;
    await video.play();
    const read = await codeReader();
    while (!signal.aborted) {
      const text = video.videoWidth === 0 ? null : read(pixelsOf(video, { width: video.videoWidth, height: video.videoHeight }, MAX_PIXELS));
      if (text !== null) {
        return certificateIn(text);
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
    return null;
  } finally {
    stop();
  }
}
