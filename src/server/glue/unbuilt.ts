import type { DescMethod } from "@bufbuild/protobuf";
import type { handleBidiStreamingCall } from "@grpc/grpc-js";
import { Problem } from "../../model/problem.ts";
import { conduct } from "./conduct.ts";
import { sameBytes } from "./decode-message.ts";
import { methodName } from "./method-name.ts";
import type { Route } from "./route.ts";
import { provenDoor } from "./wiring.ts";

/** Answers UNIMPLEMENTED for a method that is part of the API and not built yet, naming it. Its caller must be proven like any other. */
export function unbuilt(method: DescMethod): Route {
  const name = methodName(method);
  return {
    method,
    register(server, wiring) {
      // As a stream whatever the kind of the method: the answer is a status alone, and a unary handler would wait for the whole request.
      const serve: handleBidiStreamingCall<Buffer, Buffer> = (call) => {
        void conduct(
          call,
          name,
          provenDoor,
          wiring,
          () => Promise.reject(new Problem("unimplemented", `${name} is not built yet`)),
          (status) => void call.emit("error", status),
        );
      };
      server.register(`/${method.parent.typeName}/${method.name}`, serve, sameBytes, sameBytes, "bidi");
    },
  };
}
