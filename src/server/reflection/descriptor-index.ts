import { type DescFile, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** The files behind a set of services, found by name and by what they define. */
export interface DescriptorIndex {
  /** Full names of the services, sorted. */
  readonly services: readonly string[];
  /** The file of that name and all that it imports, each as a serialized FileDescriptorProto; undefined where unknown. */
  byName(name: string): Uint8Array[] | undefined;
  /** The same for the file that defines a fully qualified symbol. */
  bySymbol(symbol: string): Uint8Array[] | undefined;
}

/** Indexes the files that define `services`, with their imports. */
export function indexDescriptors(
  services: readonly { readonly typeName: string; readonly file: DescFile }[],
): DescriptorIndex {
  const files = new Map<string, DescFile>();
  for (const service of services) collect(service.file, files);
  const symbols = new Map<string, DescFile>();
  for (const file of files.values()) for (const symbol of symbolsOf(file)) symbols.set(symbol, file);
  const closure = (file: DescFile | undefined): Uint8Array[] | undefined => {
    if (file === undefined) return undefined;
    const needed = new Map<string, DescFile>();
    collect(file, needed);
    return [...needed.values()].map((each) => toBinary(FileDescriptorProtoSchema, each.proto));
  };
  return {
    services: services.map((service) => service.typeName).sort(),
    byName: (name) => closure(files.get(name)),
    bySymbol: (symbol) => closure(symbols.get(symbol)),
  };
}

function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.proto.name)) return;
  into.set(file.proto.name, file);
  for (const dependency of file.dependencies) collect(dependency, into);
}

function* symbolsOf(file: DescFile): Generator<string> {
  for (const service of file.services) {
    yield service.typeName;
    for (const method of service.methods) yield `${service.typeName}.${method.name}`;
  }
  for (const found of file.enums) yield found.typeName;
  for (const found of file.extensions) yield found.typeName;
  for (const message of file.messages) yield* symbolsIn(message);
}

function* symbolsIn(message: DescMessage): Generator<string> {
  yield message.typeName;
  for (const field of message.fields) yield `${message.typeName}.${field.name}`;
  for (const oneof of message.oneofs) yield `${message.typeName}.${oneof.name}`;
  for (const found of message.nestedEnums) yield found.typeName;
  for (const nested of message.nestedMessages) yield* symbolsIn(nested);
}
