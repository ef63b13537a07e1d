export interface paths {
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List models
         * @description One page of the models that match. Specification: section 4.1. Needs the permission `models:read` (section 5; the mapping is not shown).
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a model
         * @description One model with the description of its input. Specification: section 4.2. Needs the permission `models:read` (section 5; the mapping is not shown).
         */
        get: operations["getModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{model}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a model
         * @description Creates a job. By default the response waits for the result; a client has to handle both 200 and 202. After a 202 poll the job, or wait for the webhook. A run that is sent again is charged again: there is no idempotency key. Specification: section 4.3. Needs the permission `models:run` (section 5; the mapping is not shown).
         */
        post: operations["runModel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job
         * @description Status of a job, and its result when it is finished. Specification: section 4.4. Needs the permission `jobs:read` (section 5; the mapping is not shown).
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        /**
         * Cancel a job
         * @description For queued or processing jobs. A cancelled job is not charged. Body and status code of the response: not shown. Specification: section 4.5. Needs the permission `jobs:write` (section 5; the mapping is not shown).
         */
        delete: operations["cancelJob"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Response to a cancel, which the specification does not show: any object. The job may stand in it as `data`. */
        CancelResponse: {
            data?: {
                job_id?: string;
                status?: string;
            } & {
                [key: string]: unknown;
            };
        };
        /** @description Body of the delivery for a cancelled job, if there is one: not shown (section 6, rule 7). */
        CancelledDelivery: {
            job_id: string;
            /** @constant */
            status: "cancelled";
        };
        /** @description Body of every error response (section 7). */
        ErrorBody: {
            /** @description The error. */
            error: components["schemas"]["ErrorDetail"];
        };
        /** @description The `error` member of an error response, a failed job and a failure webhook (section 7). */
        ErrorDetail: {
            /**
             * @description Stable code for programs. The specification names three; the service may send others.
             * @example UNAUTHORIZED
             * @example FORBIDDEN
             * @example PROVIDER_FAILURE
             */
            code: string;
            /** @description Text for people. */
            message: string;
        };
        /** @description Body of the delivery for a job that ended `failed` (section 6). */
        FailedDelivery: {
            /** @description Identifier of the job; the same in a duplicate. */
            job_id: string;
            /**
             * @description The job ended with an error.
             * @constant
             */
            status: "failed";
            /** @description Why the job failed (section 7). */
            error: components["schemas"]["ErrorDetail"];
        };
        /** @description Description of one input parameter (section 2.3). */
        InputProperty: {
            /** @description JSON type of the value: `string`, `integer`, `number`, `boolean`, …; or several, as JSON Schema writes them. */
            type?: string | string[];
            /** @description The effect of the parameter. */
            description?: string;
            /** @description The allowed values. */
            enum?: unknown[];
            /** @description The value that the service uses when the parameter is left out. */
            default?: unknown;
            /** @description Smallest allowed number. */
            minimum?: number;
            /** @description Largest allowed number. */
            maximum?: number;
        };
        /** @description JSON-schema-like description of a model's input (section 2.3). */
        InputSchema: {
            /**
             * @description Always `object` in the specification.
             * @constant
             */
            type: "object";
            /** @description Parameter name to its description. */
            properties: {
                [key: string]: components["schemas"]["InputProperty"];
            };
            /** @description Names of the mandatory parameters. */
            required: string[];
        };
        /** @description State of a job, the `data` member of `GET /v1/jobs/{id}` (section 4.4). */
        Job: {
            /**
             * @description Where the job stands. Treat an unknown status as not finished.
             * @example queued
             * @example processing
             * @example succeeded
             * @example failed
             * @example cancelled
             */
            status: string;
            /** @description Present when `succeeded`. */
            output?: components["schemas"]["Output"] | null;
            /** @description Present when `failed`. */
            error?: components["schemas"]["ErrorDetail"] | null;
        } & (unknown & unknown);
        /** @description Response of `GET /v1/jobs/{id}` (section 4.4). */
        JobResponse: {
            /** @description The job. */
            data: components["schemas"]["Job"];
        };
        /** @description A model with its details, the response of `GET /v1/models/{id}` (sections 2.1 and 4.2). */
        Model: {
            /** @description Identifier, used in paths as `{id}` and `{model}`. May contain `/`. */
            id: string;
            /** @description Display name. */
            name: string;
            /** @description Short description. */
            description: string;
            /**
             * @description The kind of output (section 2.2).
             * @example text-to-image
             * @example text-to-video
             * @example image-to-image
             * @example text-to-speech
             * @example audio-generation
             */
            category: string;
            /** @description Provider label. */
            provider: string;
            /**
             * @description `active` is the value in the specification; the service may send others.
             * @example active
             */
            status: string;
            /** @description The price of a run. */
            pricing: components["schemas"]["ModelPricing"];
            /** @description Shape of the `input` that a run of this model takes. */
            input_schema: components["schemas"]["InputSchema"];
        };
        /** @description Response of `GET /v1/models` (section 4.1). */
        ModelList: {
            /** @description The models of this page, without their `input_schema`. */
            models: components["schemas"]["ModelSummary"][];
            /** @description Number of all matching models, on every page. */
            total: number;
            /** @description Limit applied. */
            limit: number;
            /** @description Offset applied. */
            offset: number;
        };
        /** @description The price of a run (section 2.1). */
        ModelPricing: {
            /** @description Credits charged per run. Whether a run that fails is charged: not shown. */
            credits_per_run: number;
        };
        /** @description A model as the list shows it (section 2.1, without `input_schema`). */
        ModelSummary: {
            /** @description Identifier, used in paths as `{id}` and `{model}`. May contain `/`. */
            id: string;
            /** @description Display name. */
            name: string;
            /** @description Short description. */
            description: string;
            /**
             * @description The kind of output (section 2.2).
             * @example text-to-image
             * @example text-to-video
             * @example image-to-image
             * @example text-to-speech
             * @example audio-generation
             */
            category: string;
            /** @description Provider label. */
            provider: string;
            /**
             * @description `active` is the value in the specification; the service may send others.
             * @example active
             */
            status: string;
            /** @description The price of a run. */
            pricing: components["schemas"]["ModelPricing"];
        };
        /** @description The output of a run (section 2.5). */
        Output: {
            /**
             * @description Kind of the output. `image` is in the specification; the service may send others.
             * @example image
             * @example video
             * @example audio
             */
            type: string;
            /** @description The produced files. */
            items: components["schemas"]["OutputItem"][];
        };
        /** @description One produced file (section 2.5). */
        OutputItem: {
            /**
             * @description Kind of the file. `image` is in the specification; the service may send others.
             * @example image
             * @example video
             * @example audio
             */
            type: string;
            /** @description Address of the produced file. */
            url: string;
        };
        /** @description Response 200 to a synchronous run that finished in time (section 4.3). */
        RunCompleted: {
            /** @description Identifier of the job, used in job paths. */
            job_id: string;
            /** @description Identifier of the request at the underlying provider. */
            request_id: string;
            /** @description Id of the model that was run. */
            model_id: string;
            /**
             * @description The same outcome as the job status `succeeded` (section 3).
             * @constant
             */
            status: "completed";
            /** @description The output of the run (section 2.5). */
            output: components["schemas"]["Output"];
            /** @description Processing time in milliseconds. */
            duration_ms: number;
            /** @description Credits charged. */
            credits_used: number;
        };
        /** @description Response to a synchronous run whose job failed or was cancelled during the hold. The specification does not show it. */
        RunNotSucceeded: {
            job_id: string;
            request_id: string;
            model_id: string;
            /** @enum {string} */
            status: "failed" | "cancelled";
            error?: components["schemas"]["ErrorDetail"];
        };
        /** @description Response 202: the run continues. Poll the job, or wait for the webhook (section 4.3). */
        RunProcessing: {
            /** @description Identifier of the job, used in job paths. */
            job_id: string;
            /** @description Identifier of the request at the underlying provider. */
            request_id: string;
            /** @description Id of the model that was run. */
            model_id: string;
            /**
             * @description The job is not finished yet.
             * @constant
             */
            status: "processing";
            /** @description Text for people: the job has to be polled. */
            message: string;
        };
        /** @description Response 200 or 202 to a run with `sync: false` (section 4.3). */
        RunQueued: {
            /** @description Identifier of the job, used in job paths. */
            job_id: string;
            /** @description Identifier of the request at the underlying provider. */
            request_id: string;
            /** @description Id of the model that was run. */
            model_id: string;
            /**
             * @description The job waits to be processed.
             * @constant
             */
            status: "queued";
        };
        /** @description Body of `POST /v1/models/{model}/run` (section 4.3). */
        RunRequest: {
            /** @description Input parameters per the model's `input_schema`. */
            input: {
                [key: string]: unknown;
            };
            /**
             * @description `true` (default): wait for the result, about 55 s at most. `false`: return at once.
             * @default true
             */
            sync?: boolean;
            /**
             * Format: uri
             * @description Address that receives the finished result by POST (section 6).
             */
            webhook_url?: string;
        };
        /** @description Body of the delivery for a job that ended `succeeded` (section 6). */
        SucceededDelivery: {
            /** @description Identifier of the job; the same in a duplicate. */
            job_id: string;
            /**
             * @description The job has finished, and its output is here.
             * @constant
             */
            status: "succeeded";
            /** @description The output of the job (section 2.5). */
            output: components["schemas"]["Output"];
            /** @description Credits charged. */
            credits_used: number;
            /**
             * Format: date-time
             * @description When the job ended: ISO 8601, UTC.
             */
            completed_at: string;
        };
        /** @description Body of a webhook delivery (section 6). Unsigned, never retried, sometimes sent twice: `job_id` identifies duplicates. */
        WebhookDelivery: components["schemas"]["SucceededDelivery"] | components["schemas"]["FailedDelivery"];
    };
    responses: {
        /** @description API key missing or invalid (sections 5 and 7). */
        unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The key lacks the permission that the action needs (sections 5 and 7). */
        forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The request, or the input of the model, is not right. Status and code: not shown (section 7). */
        invalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The account has too few credits for the run. Status and code: not shown (section 7). */
        insufficientCredits: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The model or job does not exist. Status and code: not shown (section 7). */
        notFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The job is finished and cannot be cancelled. Status and code: not shown (section 7). */
        conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Too many requests; `Retry-After`, where it is sent, says when to try again. Status and code: not shown (section 7). */
        rateLimited: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The service failed. Status and code: not shown (section 7). */
        internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description Any other error. Its status and code: not shown (section 7). */
        otherError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listModels: {
        parameters: {
            query?: {
                /** @description Only models of this category. */
                category?: string;
                /** @description Search by name or description. How a text matches: not shown. */
                search?: string;
                /** @description Number of results: default 20, maximum 100 (section 8). */
                limit?: number;
                /** @description How many matches to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of models. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            400: components["responses"]["invalidRequest"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            429: components["responses"]["rateLimited"];
            500: components["responses"]["internal"];
            default: components["responses"]["otherError"];
        };
    };
    getModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the model. It may contain `/`, which travels as `%2F`.
                 * @example aurora-image
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Model"];
                };
            };
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["notFound"];
            429: components["responses"]["rateLimited"];
            500: components["responses"]["internal"];
            default: components["responses"]["otherError"];
        };
    };
    runModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the model. It may contain `/`, which travels as `%2F`.
                 * @example aurora-image
                 */
                model: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"];
            };
        };
        responses: {
            /** @description The run finished in time. With `sync: false`: the job was accepted (200 or 202, not stated). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCompleted"] | components["schemas"]["RunQueued"] | components["schemas"]["RunNotSucceeded"];
                };
            };
            /** @description The model needs more than about 55 seconds, or a `webhook_url` was given, or `sync` is false. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunProcessing"] | components["schemas"]["RunQueued"];
                };
            };
            400: components["responses"]["invalidRequest"];
            401: components["responses"]["unauthorized"];
            402: components["responses"]["insufficientCredits"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["notFound"];
            429: components["responses"]["rateLimited"];
            500: components["responses"]["internal"];
            default: components["responses"]["otherError"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `job_id` of the response to a run.
                 * @example job_6512bd43
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobResponse"];
                };
            };
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["notFound"];
            429: components["responses"]["rateLimited"];
            500: components["responses"]["internal"];
            /** @description The job. The specification names no status code here. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobResponse"];
                };
            };
            default: components["responses"]["otherError"];
        };
    };
    cancelJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `job_id` of the response to a run.
                 * @example job_6512bd43
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is cancelled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelResponse"];
                };
            };
            /** @description The job is cancelled; the response has no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["notFound"];
            409: components["responses"]["conflict"];
            429: components["responses"]["rateLimited"];
            500: components["responses"]["internal"];
            /** @description The job is cancelled. Body and status code: not shown. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["otherError"];
        };
    };
}
