/** Amazon Bedrock's variables and ids. */
import type { EnvEndpoint, Variables } from "../../../services/Route.ts"

export const keys = ["AWS_BEARER_TOKEN_BEDROCK"]

export const region = ({ AWS_DEFAULT_REGION, AWS_REGION }: Variables): string => AWS_REGION || AWS_DEFAULT_REGION || "us-east-1"

export const place: EnvEndpoint = {
  keys: ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_REGION", "AWS_DEFAULT_REGION"],
  address: (variables) => variables.AWS_ENDPOINT_URL_BEDROCK_RUNTIME || `https://bedrock-runtime.${region(variables)}.amazonaws.com`
}

/** Anthropic's id of a Claude model: `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `claude-sonnet-4-5-20250929`. */
export const claudeId = (id: string): string => id.replace(/^.*anthropic\./, "").replace(/-v\d+(?::\d+)?$/, "")
