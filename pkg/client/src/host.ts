// Types of the host. A project may have neither TypeScript's library `dom` nor the types of Node. Then these declarations still compile: the
// members that this package uses take the place of the host's type.
type Global<Name extends string, Otherwise> = typeof globalThis extends { [Key in Name]: { prototype: infer Found } } ? Found : Otherwise;

export type AbortSignal = Global<"AbortSignal", { readonly aborted: boolean; throwIfAborted(): void }>;
export type Blob = Global<"Blob", { readonly size: number; readonly type: string; arrayBuffer(): Promise<ArrayBuffer> }>;
export type FormData = Global<"FormData", object>;
export type Headers = Global<"Headers", { get(name: string): string | null }>;
export type Fetch = typeof globalThis extends { fetch: infer Found } ? Found : (url: string, init?: any) => Promise<any>;

/** Bytes: a buffer or a view of one, such as `Uint8Array`, `DataView` and Node's `Buffer`. */
export type Bytes = ArrayBuffer | ArrayBufferView;
