# Completion of tt for fish: tt completion fish | source
function __tt_completion
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    # A path may name a program of a checkout, which Tab must not run. So it never runs what was typed.
    string match -q '*/*' -- "$words[1]"; and return
    set -e words[1]
    set -l lines (command tt complete-line -- $words "$typed" 2>/dev/null)
    if string match -q ':files*' -- "$lines[1]"
        __fish_complete_path "$typed"
    else
        printf '%s\n' $lines
    end
end
complete -c tt -f -a '(__tt_completion)'
