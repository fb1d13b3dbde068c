import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod'
import { z } from 'zod'
import { checkAnthropic } from './client-checks.mjs'

checkAnthropic({ Anthropic, betaZodTool, zodOutputFormat, z })
