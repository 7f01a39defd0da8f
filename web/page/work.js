// Starts the worker, whose text the page holds.

/** Reads a file in a worker, which calls `report` with what it tells. */
export function startWorker(module, { file, name, options }, report) {
  const address = URL.createObjectURL(new Blob([held.worker], { type: "text/javascript" }));
  const worker = new Worker(address);
  worker.onmessage = ({ data }) => report(data);
  worker.onerror = (event) => {
    event.preventDefault();
    report({ error: `the worker has failed: ${event.message || "the browser does not start it"}` });
  };
  worker.postMessage({ module, file, name, options });
  const stop = () => {
    worker.terminate();
    URL.revokeObjectURL(address);
  };
  return { stop };
}
