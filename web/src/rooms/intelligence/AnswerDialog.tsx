import type { Recommendation } from '../../api/bodies';
import { ApplyDialog } from './ApplyDialog';
import { DismissDialog, ScheduleDialog, SnoozeDialog, TestDialog } from './AnswerDialogs';
import type { Dialog } from './Answers';
import { ExclusionForm } from './change/ExclusionForm';
import { ExceptionDialog } from './ExceptionDialog';
import { FeedbackDialog } from './FeedbackDialog';

interface Props {
  of: Recommendation;
  dialog: Dialog;
  onClose: () => void;
}

/** The dialog of an answer. It loads with the first answer, not with the page. */
export function AnswerDialog({ of: one, dialog, onClose: close }: Props) {
  if (dialog === 'apply')
    return one.plan && <ApplyDialog of={one} plan={one.plan} onClose={close} />;
  if (dialog === 'except')
    return one.plan && <ExceptionDialog of={one} plan={one.plan} onClose={close} />;
  if (dialog === 'schedule') return <ScheduleDialog of={one} onClose={close} />;
  if (dialog === 'exclude')
    return <ExclusionForm given={{ resource: one.resource.id, type: one.kind }} onClose={close} />;
  if (dialog === 'dismiss') return <DismissDialog of={one} onClose={close} />;
  if (dialog === 'snooze') return <SnoozeDialog of={one} onClose={close} />;
  if (dialog === 'test') return <TestDialog of={one} onClose={close} />;
  return <FeedbackDialog of={one} onClose={close} />;
}
