import { status } from "@grpc/grpc-js";
import { ServerReflection, type ServerReflectionRequest } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import {
  type ServerReflectionRequest as AlphaRequest,
  ServerReflection as ServerReflectionAlpha,
} from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { exhausted } from "../../model/exhausted.ts";
import { bidi, type Route } from "../glue/route.ts";
import { openDoor } from "../glue/wiring.ts";
import { shorten } from "../reply/shorten.ts";
import type { DescriptorIndex } from "./descriptor-index.ts";

/** The answer as plain data, which is a message of either version. */
type Answer =
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string } }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

/**
 * Server reflection, v1 and its older twin v1alpha (grpc/grpc, doc/server-reflection.md), from the descriptors that are part of the
 * generated code. Open to everybody who reaches the listener: the API is no secret.
 */
export function reflectionRoutes(index: DescriptorIndex): readonly Route[] {
  return [
    bidi(openDoor, ServerReflection.method.serverReflectionInfo, async function* (requests) {
      for await (const request of requests)
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(index, request) };
    }),
    bidi(openDoor, ServerReflectionAlpha.method.serverReflectionInfo, async function* (requests) {
      for await (const request of requests)
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(index, request) };
    }),
  ];
}

function answer(index: DescriptorIndex, { messageRequest: asked }: ServerReflectionRequest | AlphaRequest): Answer {
  switch (asked.case) {
    case "fileByFilename":
      return files(index.byName(asked.value), asked.value);
    case "fileContainingSymbol":
      return files(index.bySymbol(asked.value), asked.value);
    case "listServices":
      return { case: "listServicesResponse", value: { service: index.services.map((name) => ({ name })) } };
    case "allExtensionNumbersOfType":
      return index.bySymbol(asked.value) === undefined
        ? missing(asked.value)
        : { case: "allExtensionNumbersResponse", value: { baseTypeName: asked.value } };
    case "fileContainingExtension":
      return missing(`extension ${asked.value.extensionNumber} of ${asked.value.containingType}`);
    case undefined:
      return failure(status.INVALID_ARGUMENT, "message_request: must be set");
    default:
      return exhausted(asked);
  }
}

function files(found: Uint8Array[] | undefined, name: string): Answer {
  if (found === undefined) return missing(name);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto: found } };
}

function missing(what: string): Answer {
  return failure(status.NOT_FOUND, `not found: ${shorten(what, 256)}`);
}

function failure(errorCode: number, errorMessage: string): Answer {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
