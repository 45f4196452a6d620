import type { DescMethod } from "@bufbuild/protobuf";

/** The method's full name, such as `sallyport.v1.ExecService.Run`. */
export function methodName(method: DescMethod): string {
  return `${method.parent.typeName}.${method.name}`;
}
