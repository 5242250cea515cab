import { Alert, Button, Divider, Group, Modal, MultiSelect, NumberInput, Select, SimpleGrid, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Agent, Recommendation } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { percent, plural } from '../../../display/amounts';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { options, words } from '../../../display/wording';
import { agentsQuery, recommendationsQuery, useChange } from '../queries';
import { sharesOf, splitOf } from './course';
import { beginRollout } from './queries';

const FIELDS = ['agent_id', 'type', 'name', 'recommendations', 'canary', 'validation_s', 'shares', 'max_failures', 'min_confidence'];

interface Props {
  type?: string;
  onClose: () => void;
}

/** What goes out, and how carefully. */
export function RolloutForm({ type, onClose }: Props) {
  const agents = useQuery(agentsQuery);
  const open = useQuery(recommendationsQuery({ status: 'open' }));
  const error = agents.error ?? open.error;
  return (
    <Modal opened onClose={onClose} size="lg" title={<Text fw={600}>Start a rollout</Text>}>
      {error && <ProblemAlert error={error} />}
      {!error && (!agents.data || !open.data) && <Skeleton h={320} />}
      {agents.data && open.data && <Fields agents={agents.data.items} open={open.data.items.filter(({ plan }) => plan)} type={type} onClose={onClose} />}
    </Modal>
  );
}

function Fields({ agents, open, type, onClose }: Props & { agents: Agent[]; open: Recommendation[] }) {
  const acting = agents.filter(({ id, mode }) => mode !== 'learning' && open.some(({ agent_id }) => agent_id === id));
  const first = acting.find(({ id }) => open.some((one) => one.agent_id === id && (!type || one.type === type))) ?? acting[0];
  if (!first) return <Nothing learning={open.length > 0} onClose={onClose} />;
  return <Filled agents={acting} first={first} open={open} type={type} onClose={onClose} />;
}

function Nothing({ learning, onClose }: { learning: boolean; onClose: () => void }) {
  return (
    <Stack>
      <Alert color="gray" variant="light" title="There is nothing to roll out now">
        {learning ? 'The agents that recommend something only learn. Set one to safe mode or active under Agents.' : 'A rollout carries open recommendations with a plan. There are none; run an agent, or wait until it has seen enough.'}
      </Alert>
      <Group justify="flex-end"><Button variant="default" onClick={onClose}>Close</Button></Group>
    </Stack>
  );
}

function Filled({ agents, first, open, type, onClose }: Props & { agents: Agent[]; first: Agent; open: Recommendation[] }) {
  const navigate = useNavigate();
  const begin = useChange(beginRollout);
  const typesOf = (agent: string) => [...new Set(open.filter(({ agent_id }) => agent_id === agent).map((one) => one.type))];
  const form = useForm({
    initialValues: {
      agent_id: first.id, type: type && typesOf(first.id).includes(type) ? type : typesOf(first.id)[0] ?? '', name: '', recommendations: [] as string[],
      canary: 1, validation_s: 24, shares: '10, 25, 50', max_failures: 0, min_confidence: '' as number | '',
    },
    validate: { shares: (value) => (sharesOf(value) ? null : 'Give percentages that rise, such as 10, 25, 50') },
  });
  const { values } = form;
  const fitting = open.filter((one) => one.agent_id === values.agent_id && one.type === values.type);
  const submit = form.onSubmit(({ name, validation_s, shares, min_confidence, canary, max_failures, ...rest }) => begin.mutate({
    ...rest, name: name.trim() || null,
    settings: { canary, max_failures, validation_s: Math.round(validation_s * 3600), shares: sharesOf(shares) ?? [], min_confidence: min_confidence === '' ? null : min_confidence },
  }, {
    onSuccess: ({ id }) => { announce('The rollout has begun.'); onClose(); void navigate({ to: '/intelligence/rollouts/$id', params: { id } }); },
    onError: (error) => form.setErrors(fieldMessages(error)),
  }));
  const choose = (agent_id: string | null) => {
    if (!agent_id) return;
    form.setValues({ agent_id, recommendations: [], type: typesOf(agent_id).includes(values.type) ? values.type : typesOf(agent_id)[0] ?? '' });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" className="muted">One kind of change, carried out in stages. Every single change still asks its own guardrails and approvals.</Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select label="Agent" allowDeselect={false} data={agents.map(({ id, name }) => ({ value: id, label: name }))} {...form.getInputProps('agent_id')} onChange={choose} />
          <Select label="Kind of change" allowDeselect={false} data={options(typesOf(values.agent_id))} {...form.getInputProps('type')} onChange={(kind) => form.setValues({ type: kind ?? values.type, recommendations: [] })} />
        </SimpleGrid>
        <MultiSelect
          label="Recommendations" placeholder={values.recommendations.length ? undefined : `All ${fitting.length} that are open`} description="Choose some, or leave it empty for all" searchable clearable hidePickedOptions maxDropdownHeight={240}
          data={fitting.map((one) => ({ value: one.id, label: `${one.resource.name}: ${one.title}` }))} {...form.getInputProps('recommendations')}
        />
        <TextInput label="Name" placeholder="Made from kind and agent" maxLength={200} {...form.getInputProps('name')} />
        <Divider label="How carefully" labelPosition="left" />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput label="Canary" description="Resources that go first, the least critical" min={1} max={20} allowDecimal={false} {...form.getInputProps('canary')} />
          <NumberInput label="Watched for" description="Before the others follow" min={0} max={720} suffix=" hours" {...form.getInputProps('validation_s')} />
          <TextInput label="Then shares of all" description="Percentages that rise; empty: all at once" {...form.getInputProps('shares')} />
          <NumberInput label="Failures allowed" description="One more holds it" min={0} max={100} allowDecimal={false} {...form.getInputProps('max_failures')} />
          <NumberInput label="Least confidence" description="What is less confident is left out" placeholder="The agent's threshold" min={0} max={100} suffix=" %" {...form.getInputProps('min_confidence')} />
        </SimpleGrid>
        <GoesOut agent={agents.find(({ id }) => id === values.agent_id)} chosen={fitting.filter(({ id }) => values.recommendations.length === 0 || values.recommendations.includes(id))} values={values} />
        <ProblemAlert error={begin.error} marked={FIELDS} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>Cancel</Button>
          <Button type="submit" loading={begin.isPending}>Start with the simulation</Button>
        </Group>
      </Stack>
    </form>
  );
}

/** In which portions it goes out, as the settings stand. */
function GoesOut({ agent, chosen, values }: { agent: Agent | undefined; chosen: Recommendation[]; values: { type: string; canary: number; shares: string; min_confidence: number | '' } }) {
  const least = values.min_confidence === '' ? agent?.confidence_threshold ?? 0 : values.min_confidence;
  const sure = chosen.filter(({ confidence }) => confidence >= least);
  const left = chosen.length - sure.length;
  const portions = splitOf(sure.length, values.canary, sharesOf(values.shares) ?? []);
  return (
    <Alert color={sure.length ? 'petrol' : 'yellow'} variant="light" title={sure.length ? `${words(values.type)} on ${plural(sure.length, 'resource')}` : 'Nothing of this would go out'} role="status">
      <Text size="sm">
        {portions.length > 0 && `All are simulated, then they change in portions of ${portions.join(', ')}. `}
        {left > 0 && `${plural(left, 'recommendation')} less confident than ${percent(least)} ${left === 1 ? 'is' : 'are'} left out.`}
      </Text>
    </Alert>
  );
}
