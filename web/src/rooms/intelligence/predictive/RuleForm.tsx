import type { components } from '../../../api/schema';
import {
  Alert,
  Button,
  Divider,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Rule } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { asGigabytes } from '../../../api/quantities';
import { announce } from '../../../display/announce';
import { ScopeInputs } from '../change/WindowForm';
import { agentTypesQuery, useChange } from '../queries';
import { Preview } from './Preview';
import {
  CALLS,
  FIELDS,
  fittingPrediction,
  grows,
  initial,
  knowsEvents,
  needsValue,
  wire,
  type RuleFields,
} from './rule-fields';
import { calendarsQuery, changeRule, createRule, previewRule } from './queries';
import { predictiveMetric, predictiveMetrics } from '../../../display/metric-names';
import { ACTIONS, approvalInWords, PREDICTIONS } from './labels';
import { FormDialog } from '../../../display/FormDialog';
import { words } from '../../../display/wording';

type Form = UseFormReturnType<RuleFields>;

const pairs = (of: Record<string, string>) =>
  Object.entries(of).map(([value, label]) => ({ value, label }));
const metricChoices = () =>
  predictiveMetrics().map(({ metric: value, label }) => ({ value, label }));
const APPROVALS = [
  { value: 'auto', label: 'Auto: the approval matrix decides by cost' },
  { value: 'required', label: 'Required, whatever it costs' },
  { value: 'auto_below', label: 'Auto below a size of the storage' },
];

/** Which metric, what is foreseen of it, how far ahead, what to do, who approves. */
export function RuleForm({ rule, onClose }: { rule?: Rule; onClose: () => void }) {
  const create = useChange(createRule);
  const patch = useChange(changeRule);
  const change = rule ? patch : create;
  const preview = useMutation({ mutationFn: previewRule });
  const form = useForm<RuleFields>({
    initialValues: initial(rule),
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const onError = (error: Error) => form.setErrors(fieldMessages(error));
  const submit = form.onSubmit((fields) => {
    const done = {
      onSuccess: () => {
        announce(rule ? 'Rule saved.' : 'Rule added.');
        onClose();
      },
      onError,
    };
    if (rule) patch.mutate({ id: rule.id, version: rule.version, ...wire(fields) }, done);
    else create.mutate(wire(fields), done);
  });
  const tryIt = () => {
    create.reset();
    patch.reset();
    form.clearErrors();
    preview.mutate(wire({ ...form.values, name: form.values.name.trim() || 'preview' }), {
      onError,
    });
  };
  return (
    <FormDialog
      title={rule ? `Change ${rule.name}` : 'Add a predictive rule'}
      size="xl"
      submit={rule ? 'Save' : 'Add the rule'}
      error={change.error ?? preview.error}
      marked={FIELDS}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        <Button variant="light" loading={preview.isPending} onClick={tryIt}>
          Try it without saving
        </Button>
      }
    >
      <TextInput
        label="Name"
        placeholder="Busy web servers"
        maxLength={100}
        withAsterisk
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Divider label="When a forecast says that" labelPosition="left" />
      <Condition form={form} />
      <Divider label="Then" labelPosition="left" />
      <Response form={form} />
      <Divider label="For" labelPosition="left" />
      <ScopeInputs
        account={form.getInputProps('scope.accounts')}
        service={form.getInputProps('scope.services')}
      />
      <TagsInput
        label="Resources"
        placeholder="All in scope"
        description="Identifiers; press Enter after each"
        {...form.getInputProps('resources')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'start' }}>
        <TextInput
          label="Evaluated every"
          description="From 1m to 7d"
          withAsterisk
          {...form.getInputProps('every')}
        />
        <Switch
          label="Switched on"
          mt={{ base: 0, sm: 30 }}
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
      </SimpleGrid>
      {preview.data && <Preview of={preview.data.items} />}
    </FormDialog>
  );
}

function valueOf(prediction: string, metric: string): { label: string; description: string } {
  if (prediction === 'spike')
    return { label: 'Above the usual by', description: 'Percent of the median of two weeks' };
  if (needsValue(prediction))
    return {
      label: 'Value',
      description:
        predictiveMetric(metric)?.unit === 'percent' ? 'Percent' : 'In the unit of the metric',
    };
  if (metric === 'disk_space')
    return { label: 'Full at', description: 'Free bytes that count as full. Default: 0' };
  return {
    label: 'Capacity',
    description: 'Default: the capacity of the resource, by its tag or its size',
  };
}

function Condition({ form }: { form: Form }) {
  const { prediction, metric } = form.values.condition;
  const { data: calendars } = useQuery({ ...calendarsQuery, enabled: knowsEvents(prediction) });
  const event = prediction === 'event';
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'start' }}>
        {!event && (
          <Select
            label="Metric"
            allowDeselect={false}
            searchable
            data={metricChoices()}
            {...form.getInputProps('condition.metric')}
            value={metric || null}
            onChange={(chosen) => {
              form.setFieldValue('condition.metric', chosen ?? '');
              const worse = predictiveMetric(chosen ?? '')?.worse;
              form.setFieldValue('condition.prediction', fittingPrediction(prediction, worse));
            }}
          />
        )}
        <Select
          label="Condition"
          allowDeselect={false}
          data={pairs(PREDICTIONS)}
          {...form.getInputProps('condition.prediction')}
        />
        {!event && (
          <NumberInput
            {...valueOf(prediction, metric)}
            min={0}
            suffix={
              prediction === 'spike' ||
              (needsValue(prediction) && predictiveMetric(metric)?.unit === 'percent')
                ? ' %'
                : undefined
            }
            withAsterisk={needsValue(prediction)}
            {...form.getInputProps('condition.value')}
          />
        )}
        <TextInput
          label="Within"
          description="A number of m, h or d, such as 15m, 2h or 7d"
          withAsterisk
          {...form.getInputProps('condition.horizon')}
        />
        <NumberInput
          label="Minimum probability"
          description="Lower probabilities are ignored"
          min={1}
          max={99}
          suffix=" %"
          {...form.getInputProps('condition.probability')}
        />
      </SimpleGrid>
      {knowsEvents(prediction) && (
        <MultiSelect
          label="Calendars"
          placeholder={
            form.values.condition.calendars.length ? undefined : 'All of the fitting kind'
          }
          clearable
          description={
            calendars?.total === 0
              ? 'There are none yet; add one under Predictions, Calendars'
              : 'Calendars whose events the forecast considers'
          }
          data={calendars?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          {...form.getInputProps('condition.calendars')}
        />
      )}
    </>
  );
}

function Response({ form }: { form: Form }) {
  const { data: types } = useQuery(agentTypesQuery);
  const { action, approval } = form.values;
  const below = approval.kind === 'auto_below';
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'start' }}>
        <Select
          label="Do"
          allowDeselect={false}
          data={pairs(ACTIONS)}
          {...form.getInputProps('action.kind')}
        />
        <Select
          label="Approval"
          allowDeselect={false}
          data={APPROVALS}
          {...form.getInputProps('approval.kind')}
        />
        {(grows(action.kind) || below) && (
          <NumberInput
            label="By"
            description="Of what there is"
            min={1}
            max={400}
            suffix=" %"
            {...form.getInputProps('action.step_percent')}
          />
        )}
        {CALLS[action.kind] && (
          <TextInput {...CALLS[action.kind]} {...form.getInputProps('action.target')} />
        )}
        {below && (
          <NumberInput
            label="Below"
            description="The size after the change"
            min={1}
            suffix=" GB"
            {...form.getInputProps('approval.auto_below')}
          />
        )}
      </SimpleGrid>
      <Alert color="gray" variant="light" p="xs">
        <Text size="sm">
          {approvalInWords({
            approval: {
              kind: approval.kind as components['schemas']['RuleApprovalKind'],
              auto_below: approval.auto_below === '' ? null : asGigabytes(approval.auto_below),
            },
          })}
          . A rule can ask for more than the approval matrix, never for less.
        </Text>
      </Alert>
      <Select
        label="On behalf of"
        description="An agent of this type recommends it; its mode, threshold and guardrails hold"
        allowDeselect={false}
        data={
          types?.items.map(({ name }) => ({ value: name, label: words(name) })) ?? [
            { value: form.values.agent_type, label: words(form.values.agent_type) },
          ]
        }
        {...form.getInputProps('agent_type')}
      />
    </>
  );
}
